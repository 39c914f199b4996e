/** Promise I19: the upload rate applies over two gateways. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { hashApiKey } from '../../src/domain/ids.ts';
import { freshName, uploadForm } from '../../testkit/clients/uploads.ts';
import { makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const windowMs = 60_000;
const perWindow = 10;
const part = { type: 'text/plain', content: 'a' };

/** Some time passes, then so many uploads are sent at once, spread over both processes and both keys. */
interface Burst {
  readonly afterMs: number;
  readonly uploads: number;
}

describe('I19 the upload limit over two gateways on one PostgreSQL', () => {
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

  const pass = (ms: number) => {
    for (const { clock } of gateways) clock.advance(ms);
  };

  test('I19 no sixty seconds contain more than ten accepted uploads, none is refused while they contain fewer, and Retry-After is exact', async () => {
    const bursts: fc.Arbitrary<readonly Burst[]> = fc.array(
      fc.record({
        afterMs: fc.oneof(fc.nat({ max: 30_000 }), fc.constantFrom(59_000, 60_000)),
        uploads: fc.integer({ min: 1, max: 8 }),
      }),
      { minLength: 5, maxLength: 9 },
    );
    await fc.assert(
      fc.asyncProperty(bursts, async script => {
        const userName = freshName();
        const keys = [await gateways[0].key({ userName }), await gateways[1].key({ userName })] as const;
        const upload = (at: number) => uploadForm(gateways[at % 2]!, keys[(at >> 1) % 2]!, part);
        const acceptedAt = async () => {
          const rows = await gateways[0].gateway.db.read(
            `SELECT created_at FROM files WHERE user_id = (SELECT user_id FROM keys WHERE hash = $1) ORDER BY created_at`,
            [hashApiKey(keys[0])],
          );
          return rows.map(row => Number(row.created_at));
        };
        let accepted = 0;
        for (const { afterMs, uploads } of script) {
          pass(afterMs);
          const answers = await Promise.all(Array.from({ length: uploads }, (_, at) => upload(at)));
          const refused = answers.filter(({ status }) => status !== 200);
          accepted += uploads - refused.length;
          const times = await acceptedAt();
          assert.equal(times.length, accepted);
          for (const [at, time] of times.slice(perWindow).entries()) assert.ok(time - times[at]! >= windowMs);
          for (const { status } of refused) assert.equal(status, 429);
          // A refused upload met ten: they are all in the minute up to now.
          if (refused.length > 0) assert.ok(Math.max(...times) - times.at(-perWindow)! < windowMs);
        }
        let last = await upload(0);
        for (let more = 0; last.status === 200 && more < perWindow; more++) last = await upload(more);
        assert.equal(last.status, 429);
        pass(Number(last.headers.get('retry-after')) * 1_000);
        assert.equal((await upload(1)).status, 200);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });
});
