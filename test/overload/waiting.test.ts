/** The limit of waiting jobs of a key. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { bodies, create, pathOf, speech } from '../../testkit/clients/queue.ts';
import { leavingNothing } from '../../testkit/clients/uploads.ts';
import {
  type Dialect,
  dialects,
  makeDatabase,
  type TestDatabase,
} from '../../testkit/databases/databases.ts';
import type { Answer, TestGateway } from '../../testkit/gateway/gateway.ts';
import { figureOf, refusedFor, startLimited } from '../../testkit/gateway/limited.ts';
import { picture } from '../../testkit/media/media-maker.ts';

const perKey = 3;
const inAll = 8;
const soon = /^[3-7]$/;

const ask = (gateway: TestGateway, key: string, headers: Readonly<Record<string, string>> = {}) =>
  gateway.ask('POST', `/v1/queue/${speech}`, { key, body: bodies[speech], headers });

const jobsIn = async ({ gateway }: TestGateway): Promise<number> =>
  Number((await gateway.db.read('SELECT COUNT(*) AS jobs FROM jobs', []))[0]?.jobs);

const waitAsTold = ({ clock }: TestGateway, { headers }: Answer): void =>
  clock.advance(Number(headers.get('retry-after')) * seconds);

const countOf = (answers: readonly Answer[], status: number): number =>
  answers.filter(answer => answer.status === status).length;

for (const dialect of dialects) describe(dialect, () => suite(dialect));

function suite(dialect: Dialect): void {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startLimited({ waiting: { per_key: perKey, in_all: 1000 } }, { dialect });
  });
  after(() => gateway.close());

  test('one job more than a key may have waiting is refused with 429, and nothing is stored', async () => {
    const key = await gateway.key();
    for (let made = 0; made < perKey; made++) await create(gateway, key);
    const [jobs, refusals] = [
      await jobsIn(gateway),
      await figureOf(gateway, refusedFor('waiting_of_key_full')),
    ];
    const { status, headers, body } = await ask(gateway, key);
    assert.equal(status, 429);
    assert.match(headers.get('retry-after') ?? '', soon);
    assert.deepEqual(body, {
      error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many jobs are waiting, please try again later' },
      request_id: headers.get('x-request-id'),
    });
    assert.equal(await jobsIn(gateway), jobs);
    assert.equal(await figureOf(gateway, refusedFor('waiting_of_key_full')), refusals + 1);
    await create(gateway, await gateway.key());
  });

  test('of many at once exactly as many are accepted as may wait', async () => {
    const key = await gateway.key();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(gateway, key)));
    assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [perKey, 20 - perKey]);
  });

  test('two keys of one user have a number each', async () => {
    const first = await gateway.key({ userName: `twins-${dialect}` });
    const second = await gateway.key({ userName: `twins-${dialect}` });
    for (let made = 0; made < perKey; made++) for (const key of [first, second]) await create(gateway, key);
    for (const key of [first, second]) assert.equal((await ask(gateway, key)).status, 429);
  });

  test('a place that became free is taken after Retry-After, and no other', async () => {
    const key = await gateway.key();
    const made = [];
    for (let count = 0; count < perKey; count++) made.push(await create(gateway, key));
    const refused = await ask(gateway, key);
    assert.equal(refused.status, 429);
    const cancelled = await gateway.ask('PUT', pathOf(made[1]!.request_id, '/cancel'), { key });
    assert.equal(cancelled.status, 200);
    waitAsTold(gateway, refused);
    await create(gateway, key);
    assert.equal((await ask(gateway, key)).status, 429);
  });

  test('a key whose jobs end goes on without an end', async () => {
    const key = await gateway.key();
    for (let count = 0; count < 4 * perKey; count++) {
      const { request_id } = await create(gateway, key);
      await gateway.ask('PUT', pathOf(request_id, '/cancel'), { key });
      gateway.clock.advance(2 * seconds);
    }
  });

  test('a replay gets the handle of its existing job', async () => {
    const key = await gateway.key();
    const headers = { 'idempotency-key': 'first' };
    const first = await ask(gateway, key, headers);
    for (let made = 1; made < perKey; made++) await create(gateway, key);
    assert.equal((await ask(gateway, key)).status, 429);
    const again = await ask(gateway, key, headers);
    assert.equal(again.status, 200);
    assert.equal(again.body.request_id, first.body.request_id);
    assert.equal((await ask(gateway, key, { 'idempotency-key': 'another' })).status, 429);
  });

  test('a dry run needs no place', async () => {
    const key = await gateway.key();
    for (let made = 0; made < perKey; made++) await create(gateway, key);
    const { status } = await gateway.ask('POST', `/v1/models/${speech}/validate`, {
      key,
      body: bodies[speech],
    });
    assert.equal(status, 200);
  });

  test('a refused job takes no place', async () => {
    const key = await gateway.key();
    for (let refused = 0; refused < 2 * perKey; refused++) {
      const { status } = await gateway.ask('POST', `/v1/queue/${speech}`, { key, body: {} });
      assert.equal(status, 422);
    }
    for (let made = 0; made < perKey; made++) await create(gateway, key);
  });

  test('a medium that came with a refused job is not kept', async () => {
    const key = await gateway.key();
    for (let made = 0; made < perKey; made++) await create(gateway, key);
    const body = { prompt: 'A red balloon', image: (await picture('png', 640, 640)).toString('base64') };
    // Under another Idempotency-Key it is read and validated first.
    const headers = { 'idempotency-key': 'mine' };
    const path = '/v1/queue/gamma-v2-image';
    const refused = await leavingNothing(gateway, () => gateway.ask('POST', path, { key, body, headers }));
    assert.equal(refused.status, 429);
    gateway.clock.advance(2 * seconds);
    const { status } = await gateway.ask('POST', path, { key: await gateway.key(), body, headers });
    assert.equal(status, 200);
  });

  test('one job more than may wait in all is refused with 503', async () => {
    const own = await startLimited({ waiting: { per_key: perKey, in_all: inAll } }, { dialect });
    try {
      const keys = await Promise.all(Array.from({ length: 5 }, () => own.key()));
      const answers = await Promise.all(keys.flatMap(key => [ask(own, key), ask(own, key)]));
      assert.deepEqual([countOf(answers, 200), countOf(answers, 503)], [inAll, 10 - inAll]);
      assert.equal(await jobsIn(own), inAll);
      const { status, headers, body } = await ask(own, await own.key());
      assert.equal(status, 503);
      assert.deepEqual(body, { detail: 'Service temporarily unavailable' });
      assert.match(headers.get('retry-after') ?? '', soon);
      assert.equal(await figureOf(own, refusedFor('waiting_full')), 10 - inAll + 1);
    } finally {
      await own.close();
    }
  });
}

describe('two gateways on one PostgreSQL', () => {
  let database: TestDatabase;
  let gateways: readonly [TestGateway, TestGateway];
  before(async () => {
    database = await makeDatabase('postgres');
    const env = { ATELIER_DATABASE_URL: database.url ?? '', ATELIER_SECRET: 'the same on every node' };
    const limits = { waiting: { per_key: perKey, in_all: 1000 } };
    gateways = [await startLimited(limits, { env }), await startLimited(limits, { env })];
  });
  after(async () => {
    for (const gateway of gateways) await gateway.close();
    await database.remove();
  });

  test('what one accepted counts at the other after a second', async () => {
    const [first, second] = gateways;
    const key = await first.key();
    await create(second, key);
    for (let made = 1; made < perKey; made++) await create(first, key);
    second.clock.advance(1 * seconds);
    assert.equal((await ask(second, key)).status, 429);
    assert.equal(await jobsIn(first), perKey);
  });
});
