/** The quotas of a key under parallel requests. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { days } from '../../src/domain/clock.ts';
import { hashApiKey } from '../../src/domain/ids.ts';
import type { Quota } from '../../src/domain/key.ts';
import { bodies, create, image, pathOf, speech } from '../../testkit/clients/queue.ts';
import { leavingNothing, traceOf } from '../../testkit/clients/uploads.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { type Answer, startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';

const token = 'the-admin-token-of-this-very-test';

/** A key of a new user with those bounds, which no gateway has seen before. */
async function limitedKey(gateway: TestGateway, { atOnce, perDay }: Quota): Promise<string> {
  const key = await gateway.key();
  await gateway.gateway.db.write('UPDATE keys SET jobs_at_once = $2, jobs_per_day = $3 WHERE hash = $1', [
    hashApiKey(key),
    atOnce,
    perDay,
  ]);
  return key;
}

async function jobsOf({ gateway }: TestGateway, key: string): Promise<number> {
  const [row] = await gateway.db.read(
    'SELECT COUNT(*) AS jobs FROM jobs WHERE key_id = (SELECT id FROM keys WHERE hash = $1)',
    [hashApiKey(key)],
  );
  return Number(row?.jobs);
}

const ask = (gateway: TestGateway, key: string, headers: Readonly<Record<string, string>> = {}) =>
  gateway.ask('POST', `/v1/queue/${speech}`, { key, body: bodies[speech], headers });

const sentences = {
  atOnce: 'This key may have 2 unfinished jobs at once, please try again later',
  perDay: 'This key may make 2 jobs a day (UTC), please try again later',
} as const;

/** Exactly two are accepted, and every other gets the reason of its refusal. */
function assertTwo(answers: readonly Answer[], message: string): void {
  assert.equal(answers.filter(({ status }) => status === 200).length, 2);
  for (const { status, headers, body } of answers.filter(answer => answer.status !== 200)) {
    assert.equal(status, 429);
    assert.deepEqual(body, {
      error: { code: 'RATE_LIMIT_EXCEEDED', message },
      request_id: headers.get('x-request-id'),
    });
  }
}

const bounds = {
  jobs_at_once: { quota: { atOnce: 2, perDay: null }, message: sentences.atOnce },
  jobs_per_day: { quota: { atOnce: null, perDay: 2 }, message: sentences.perDay },
} as const;

/** The same of one gateway and of several over one database. */
function manyAtOnce(gateways: () => readonly TestGateway[]): void {
  for (const [name, { quota, message }] of Object.entries(bounds)) {
    test(`of forty parallel creates of a key with ${name} 2 exactly two are accepted`, async () => {
      const all = gateways();
      const key = await limitedKey(all[0]!, quota);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, place) => ask(all[place % all.length]!, key)),
      );
      assertTwo(answers, message);
      assert.equal(await jobsOf(all[0]!, key), 2);
    });
  }

  test('forty parallel creates under one Idempotency-Key are one job, and none is refused', async () => {
    const all = gateways();
    const key = await limitedKey(all[0]!, { atOnce: 1, perDay: 1 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, place) =>
        ask(all[place % all.length]!, key, { 'idempotency-key': 'one' }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ body }) => body.request_id)).size, 1);
    assert.equal(await jobsOf(all[0]!, key), 1);
  });
}

for (const dialect of dialects) {
  describe(dialect, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api', env: { ATELIER_ADMIN_TOKEN: token } });
    });
    after(() => gateway.close());

    manyAtOnce(() => [gateway]);

    test('of twelve parallel creates with a picture exactly two are accepted, and two pictures are kept', async () => {
      const key = await limitedKey(gateway, { atOnce: 2, perDay: null });
      const medium = (await picture('jpeg', 400, 300)).toString('base64');
      const before = await traceOf(gateway);
      const answers = await Promise.all(
        Array.from({ length: 12 }, () =>
          gateway.ask('POST', `/v1/queue/${image}`, { key, body: { prompt: 'A boat', image: medium } }),
        ),
      );
      assertTwo(answers, sentences.atOnce);
      const { rows, kept } = await traceOf(gateway);
      assert.deepEqual([rows - before.rows, kept.length - before.kept.length], [2, 2]);
    });

    test('a key without bounds is never counted', async () => {
      const key = await gateway.key();
      const answers = await Promise.all(Array.from({ length: 40 }, () => ask(gateway, key)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      const counted = await gateway.gateway.db.read(
        'SELECT jobs FROM key_days WHERE key_id = (SELECT id FROM keys WHERE hash = $1)',
        [hashApiKey(key)],
      );
      assert.deepEqual(counted, []);
    });

    test('a job that ended frees its place at once, and counts on its day', async () => {
      const key = await limitedKey(gateway, { atOnce: 1, perDay: 2 });
      const { request_id } = await create(gateway, key);
      assert.equal((await ask(gateway, key)).status, 429);
      assert.equal((await gateway.ask('PUT', pathOf(request_id, '/cancel'), { key })).status, 200);
      const second = await create(gateway, key);
      await gateway.ask('PUT', pathOf(second.request_id, '/cancel'), { key });
      const refused = await ask(gateway, key);
      assert.deepEqual([refused.status, refused.body.error.message], [429, sentences.perDay]);
      const wait = Number(refused.headers.get('retry-after'));
      assert.equal(wait, Math.ceil((days - (gateway.clock.now() % days)) / 1000));
    });

    test('a refused create counts for nothing: not on its day, not its picture', async () => {
      const key = await limitedKey(gateway, { atOnce: 1, perDay: 2 });
      const { request_id } = await create(gateway, key);
      const medium = (await picture('jpeg', 400, 300)).toString('base64');
      const body = { prompt: 'A boat', image: medium };
      for (const headers of [{}, { 'idempotency-key': 'late' }] as const) {
        const refused = await leavingNothing(gateway, () =>
          gateway.ask('POST', `/v1/queue/${image}`, { key, body, headers }),
        );
        assert.equal(refused.status, 429);
      }
      await gateway.ask('PUT', pathOf(request_id, '/cancel'), { key });
      await create(gateway, key, { model: image, body, headers: { 'idempotency-key': 'late' } });
      assert.equal(await jobsOf(gateway, key), 2);
    });

    test('what its operator runs again counts among the unfinished jobs of a key, and is never refused', async () => {
      const key = await limitedKey(gateway, { atOnce: 1, perDay: 1 });
      const { request_id } = await create(gateway, key);
      const again = await gateway.ask('POST', `/admin/v1/jobs/${request_id}/again`, { key: token });
      assert.equal(again.status, 200);
      assert.equal(await jobsOf(gateway, key), 2);
      assert.equal((await ask(gateway, key)).body.error.message.includes('1 unfinished jobs'), true);
    });
  });
}

describe('three gateways on one PostgreSQL', () => {
  let database: TestDatabase;
  let gateways: readonly TestGateway[];
  before(async () => {
    database = await makeDatabase('postgres');
    const env = { ATELIER_DATABASE_URL: database.url ?? '', ATELIER_SECRET: 'the same on every node' };
    gateways = await Promise.all([1, 2, 3].map(() => startGateway({ role: 'api', env })));
  });
  after(async () => {
    for (const gateway of gateways) await gateway.close();
    await database.remove();
  });

  manyAtOnce(() => gateways);
});
