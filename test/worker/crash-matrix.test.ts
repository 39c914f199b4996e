/** kill -9 at each failpoint of a job, for every kind of provider. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { minutes } from '../../src/domain/clock.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { openTestClock } from '../../testkit/clock.ts';
import {
  type Dialect,
  dialects,
  makeDatabase,
  type TestDatabase,
} from '../../testkit/databases/databases.ts';
import { dieAt } from '../../testkit/gateway/die-at.ts';
import { ask, startGateway } from '../../testkit/gateway/gateway.ts';
import type { Dedupe } from '../../testkit/upstream/jobs.ts';
import { bodyOf, kinds, modelOf, routeTo } from '../../testkit/upstream/routing.ts';
import { type Ending, good, readEnding, untilEnded } from '../../testkit/upstream/studio.ts';
import { startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

interface Failpoint {
  /** The moment of the design's table, and what it is. */
  readonly name: string;
  readonly side: 'before' | 'after';
  /** Stand in the statement at which the process dies. */
  readonly words: string;
  /** What the job comes to afterwards, where it is not the same for all. */
  readonly endings: Readonly<Record<Dedupe, Ending>>;
}

const same = (ending: Ending): Failpoint['endings'] => ({ replay: ending, lookup: ending, none: ending });
const inDoubt = (charges: 0 | 1): Ending => ({
  error: 'submission_uncertain',
  submissions: charges,
  charges,
  attempts: [[null, 1]],
  uncertain: 1,
});
const charged = good([['accepted', 1]]);

const failpoints: readonly Failpoint[] = [
  { name: 'M1 before the job is kept', side: 'before', words: 'INSERT INTO jobs', endings: same(charged) },
  { name: 'M2 kept, the handle not sent', side: 'after', words: 'INSERT INTO jobs', endings: same(charged) },
  { name: 'M3 before the claim', side: 'before', words: `SET state = 'running'`, endings: same(charged) },
  { name: 'M4 claimed', side: 'after', words: `SET state = 'running'`, endings: same(charged) },
  { name: 'M4 before the intent', side: 'before', words: 'INSERT INTO attempts', endings: same(charged) },
  {
    name: 'M5 the intent written, nothing sent',
    side: 'after',
    words: 'INSERT INTO attempts',
    endings: {
      replay: { ...good([['accepted', 2]]), submissions: 1 },
      lookup: {
        ...good([
          ['refused', 1],
          ['accepted', 1],
        ]),
        submissions: 1,
      },
      none: inDoubt(0),
    },
  },
  {
    name: 'M6 accepted upstream, the answer not written',
    side: 'before',
    words: 'UPDATE attempts SET answer',
    endings: { replay: good([['accepted', 2]]), lookup: charged, none: inDoubt(1) },
  },
  {
    name: 'M7 the answer written',
    side: 'after',
    words: 'UPDATE attempts SET answer',
    endings: same(charged),
  },
  {
    name: 'M9 before the end is kept',
    side: 'before',
    words: `SET state = 'completed'`,
    endings: same(charged),
  },
  { name: 'M10 the end kept', side: 'after', words: `SET state = 'completed'`, endings: same(charged) },
];

/** All of them on one database; on the other, where the kind of provider makes no difference, one stands for all. */
const kindsAt = (endings: Failpoint['endings'], dialect: Dialect): readonly Dedupe[] =>
  dialect === 'sqlite' || !isDeepStrictEqual(endings.replay, endings.none) ? kinds : ['lookup'];

for (const dialect of dialects) {
  describe(`kill -9 on ${dialect}`, () => {
    let folder: string;
    let upstream: Upstream;
    let database: TestDatabase;
    let key: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-crash-'));
      upstream = await startUpstream({ folder });
      database = await makeDatabase(dialect);
      const wanted = { userName: 'ann', name: null, models: null, expiresAt: null };
      key = (await createKey(await database.connect(), wanted, Date.now())).secret;
    });
    after(async () => {
      await upstream.close();
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    });

    for (const { name, side, words, endings } of failpoints) {
      for (const kind of kindsAt(endings, dialect)) {
        test(`${name}: the job of a careful client is there once and ends as it must (${kind})`, async () => {
          const mark = `mark-c${failpoints.findIndex(point => point.name === name)}${kind}`;
          const path = `/v1/queue/${modelOf[kind]}`;
          const create = (url: string) =>
            ask(url, 'POST', path, {
              key,
              headers: { 'idempotency-key': mark },
              body: bodyOf[kind](mark),
            });
          const env = {
            ...(await routeTo(upstream.url, folder)),
            ATELIER_DATA_DIR: database.folder,
            ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
          };
          await dieAt({ side, words }, env, create);

          const db = await database.connect();
          // No process is alive: the lease of the dead one is expired, as time would.
          await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1', [1 * minutes]);
          const clock = openTestClock();
          const after = { folder: database.folder, database, clock };
          const gateway = await startGateway({ env, after });
          try {
            const made = await create(gateway.url);
            assert.equal(made.status, 200, JSON.stringify(made.body));
            const order = { id: made.body.request_id, mark, model: modelOf[kind] };
            const error = await untilEnded(gateway, key, order);
            assert.deepEqual(await readEnding(db, upstream, order, error), endings[kind]);
            const [row] = await db.read('SELECT count(*) AS jobs FROM jobs WHERE idempotency_key = $1', [
              mark,
            ]);
            assert.equal(Number(row?.jobs), 1);
          } finally {
            await gateway.stop();
          }
        });
      }
    }
  });
}
