/** The rate of uploads of a user: 429, its headers and its recovery. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import {
  fileError,
  freshName,
  leavingNothing,
  traceOf,
  uploadForm,
  uploadText,
} from '../../testkit/clients/uploads.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { type Answer, startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const overRate = fileError(
  'rate_limit_exceeded',
  'Upload rate exceeded, please try again later',
  null,
  'api_error',
);
const part = { type: 'text/plain' };

function assertOverRate({ status, body }: Answer): void {
  assert.equal(status, 429);
  assert.deepEqual(body, overRate);
}

const countOf = (answers: readonly Answer[], status: number): number =>
  answers.filter(answer => answer.status === status).length;

for (const dialect of dialects)
  describe(dialect, () => rateSuite(() => startGateway({ dialect, role: 'api' })));

function rateSuite(start: () => Promise<TestGateway>): void {
  let gateway: TestGateway;
  before(async () => {
    gateway = await start();
  });
  after(() => gateway.close());
  const upload = (key: string) => uploadForm(gateway, key, part);
  const uploadMany = async (key: string, count: number) => {
    for (let done = 0; done < count; done++) await uploadText(gateway, key);
  };
  /** Two keys of one new user. */
  const twoKeys = async () => {
    const userName = freshName();
    return [await gateway.key({ userName }), await gateway.key({ userName })] as const;
  };

  test('ten uploads are accepted and the eleventh is refused, leaving nothing', async () => {
    const key = await gateway.key();
    await uploadMany(key, 10);
    assertOverRate(await leavingNothing(gateway, () => upload(key)));
  });

  test('two keys of one user share the rate, another user has one of its own', async () => {
    const [key, other] = await twoKeys();
    await uploadMany(key, 6);
    await uploadMany(other, 4);
    assertOverRate(await upload(key));
    assertOverRate(await upload(other));
    assert.equal((await upload(await gateway.key())).status, 200);
  });

  test('of thirty uploads at once over two keys exactly ten are accepted and kept', async () => {
    const keys = await twoKeys();
    const before = await traceOf(gateway);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => upload(keys[at % 2]!)));
    assert.equal(countOf(answers, 200), 10);
    assert.equal(countOf(answers, 429), 20);
    for (const answer of answers.filter(({ status }) => status !== 200)) assertOverRate(answer);
    const { rows, kept } = await traceOf(gateway);
    assert.deepEqual([rows - before.rows, kept.length - before.kept.length], [10, 10]);
  });

  test('Retry-After is the time until the next upload is accepted', async () => {
    const key = await gateway.key();
    await uploadMany(key, 1);
    gateway.clock.advance(20 * seconds);
    await uploadMany(key, 9);
    const { headers } = await upload(key);
    const wait = Number(headers.get('retry-after'));
    assert.ok(wait <= 40 && wait > 35, `the rest of the minute after the first upload, got ${wait}`);
    gateway.clock.advance(wait * seconds);
    assert.equal((await upload(key)).status, 200);
    assertOverRate(await upload(key));
  });

  test('the window slides: what was accepted late in one minute counts in the next', async () => {
    const key = await gateway.key();
    gateway.clock.advance(55 * seconds);
    await uploadMany(key, 10);
    gateway.clock.advance(10 * seconds);
    assertOverRate(await upload(key));
    gateway.clock.advance(50 * seconds);
    await uploadMany(key, 10);
    assertOverRate(await upload(key));
  });

  test('a refused attempt does not prolong the wait', async () => {
    const key = await gateway.key();
    await uploadMany(key, 10);
    for (let tries = 0; tries < 5; tries++) {
      gateway.clock.advance(10 * seconds);
      assertOverRate(await upload(key));
    }
    gateway.clock.advance(10 * seconds);
    assert.equal((await upload(key)).status, 200);
  });

  test('uploads that were refused for other reasons do not count', async () => {
    const key = await gateway.key();
    for (let tries = 0; tries < 12; tries++) {
      const refused = await uploadForm(gateway, key, { type: 'image/png' });
      assert.equal(refused.status, 400);
    }
    await uploadMany(key, 10);
    assertOverRate(await upload(key));
  });

  test('deleting files does not free the rate', async () => {
    const key = await gateway.key();
    for (let done = 0; done < 10; done++) {
      const { id } = await uploadText(gateway, key);
      assert.equal((await gateway.ask('DELETE', `/v1/files/${id}`, { key })).status, 200);
    }
    assertOverRate(await upload(key));
    // The chore that removes bytes must leave the rate alone.
    gateway.clock.advance(55 * seconds);
    assertOverRate(await upload(key));
    gateway.clock.advance(5 * seconds);
    assert.equal((await upload(key)).status, 200);
  });

  test('both forms of upload share the rate', async () => {
    const key = await gateway.key();
    const given = { data: 'aGVsbG8=', mime_type: 'text/plain' };
    for (let done = 0; done < 5; done++) {
      assert.equal((await upload(key)).status, 200);
      assert.equal((await gateway.ask('POST', '/v1/files', { key, body: given })).status, 200);
    }
    assertOverRate(await gateway.ask('POST', '/v1/files', { key, body: given }));
  });

  test('a user over the rate is refused before the body is read', async () => {
    const key = await gateway.key();
    await uploadMany(key, 10);
    assertOverRate(await gateway.ask('POST', '/v1/files', { key, body: 'not JSON' }));
  });

  test('reading files is not bound by the rate of uploads', async () => {
    const key = await gateway.key();
    await uploadMany(key, 10);
    const { status, body } = await gateway.ask('GET', '/v1/files', { key });
    assert.equal(status, 200);
    assert.equal(body.data.length, 10);
  });
}

describe('two gateways on one PostgreSQL', () => {
  let database: TestDatabase;
  let gateways: readonly [TestGateway, TestGateway];
  before(async () => {
    database = await makeDatabase('postgres');
    const env = { ATELIER_DATABASE_URL: database.url ?? '', ATELIER_SECRET: 'the same on every node' };
    gateways = [await startGateway({ role: 'api', env }), await startGateway({ role: 'api', env })];
  });
  after(async () => {
    for (const gateway of gateways) await gateway.close();
    await database.remove();
  });

  test('of forty uploads at once over both, with two keys of a user, exactly ten are accepted', async () => {
    const userName = freshName();
    const keys = [await gateways[0].key({ userName }), await gateways[1].key({ userName })];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => uploadForm(gateways[at % 2]!, keys[(at >> 1) % 2]!, part)),
    );
    assert.equal(countOf(answers, 200), 10);
    assert.equal(countOf(answers, 429), 30);
    const [row] = await gateways[0].gateway.db.read('SELECT COUNT(*) AS files FROM files', []);
    assert.equal(Number(row?.files), 10);
    const kept = [...(await gateways[0].keptFiles()), ...(await gateways[1].keptFiles())];
    assert.equal(kept.length, 10);
  });

  test('what one accepted counts at the other, and its wait is right there', async () => {
    const key = await gateways[0].key();
    for (let done = 0; done < 5; done++) for (const gateway of gateways) await uploadText(gateway, key);
    const refused = await uploadForm(gateways[1], key, part);
    assertOverRate(refused);
    for (const { clock } of gateways) clock.advance(Number(refused.headers.get('retry-after')) * seconds);
    assert.equal((await uploadForm(gateways[0], key, part)).status, 200);
  });

  test('an address that one signed is judged valid by the other', async () => {
    const key = await gateways[0].key();
    const { id, url } = await uploadText(gateways[0], key);
    const [first, second] = gateways;
    const answer = await second.ask('HEAD', url.replace(first.url, second.url));
    assert.equal(answer.status, 200);
    assert.equal((await second.ask('GET', `/v1/files/${id}`, { key })).body.id, id);
  });
});
