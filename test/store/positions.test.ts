/** The queue position of a waiting job. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { jobIdFromRow, newWorkerId } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import type { Inserted } from '../../src/store/jobs/insert-rows.ts';
import { openQueuePositions } from '../../src/store/jobs/queue-position.ts';
import { openTestClock } from '../../testkit/clock.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import {
  fillQueue,
  later,
  makeOwner,
  newJob,
  type Owner,
  unique,
  wait,
} from '../../testkit/databases/rows.ts';
import { until } from '../../testkit/gateway/gateway.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let owner: Owner;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      owner = await makeOwner(db);
    });
    after(() => database.remove());

    /** The line as it will be claimed. */
    const queueOf = async (modelId: string) => {
      const rows = await db.read(
        `SELECT id, band, rank FROM jobs WHERE model_id = $1 AND state = 'available' ORDER BY band, rank, id`,
        [modelId],
      );
      return rows.map(row => ({
        id: jobIdFromRow(String(row.id)),
        modelId,
        priority: Number(row.band) as 0 | 1,
        rank: Number(row.rank),
      }));
    };

    test('every place is the number of jobs that are claimed before it, over users and priorities', async () => {
      const modelId = unique('model');
      const other = await makeOwner(db);
      for (let i = 0; i < 24; i++) {
        await wait(db, i % 5 === 0 ? other : owner, { modelId, priority: i % 3 === 0 ? 1 : 0 });
      }
      await wait(db, owner, { modelId: unique('model') });
      const positions = openQueuePositions(db, openTestClock());
      for (let place = 0; place < 24; place++) {
        const queue = await queueOf(modelId);
        const reported = await Promise.all(queue.map(job => positions.positionOf(job)));
        assert.deepEqual(reported, Array.from(queue.keys()));
        const [next] = await claimJobs(db, { worker: newWorkerId(), modelId, limit: 1, now: later });
        assert.equal(next?.id, queue[0]?.id);
      }
    });

    test('a place up to a hundred is exact, one beyond is never reported under a hundred', async () => {
      const modelId = unique('model');
      await fillQueue(db, owner, { modelId, count: 3_000 });
      const queue = await queueOf(modelId);
      const positions = openQueuePositions(db, openTestClock());
      assert.equal(await positions.positionOf(queue[100]!), 100);
      assert.equal(await positions.positionOf(queue[2_999]!), 100);
      // The totals behind an estimate are counted off the way of the request.
      const last = await until(async () => {
        const reported = await positions.positionOf(queue[2_999]!);
        return reported > 100 && reported;
      }, 'an estimate');
      assert.equal(last, 3_000);
      assert.equal(await positions.positionOf(queue[1_500]!), Math.round((3_000 * 1_500) / 2_999));
      assert.equal(await positions.positionOf(queue[101]!), Math.round((3_000 * 101) / 2_999));
      assert.equal(await positions.positionOf(queue[100]!), 100);
    });

    // Where the hundredth place is among the new jobs, and where it is before them.
    for (const waiting of [97, 105])
      test(`a creation behind ${waiting} jobs knows its place up to a hundred, among others of the same moment too`, async () => {
        const modelId = unique('model');
        await fillQueue(db, owner, { modelId, count: waiting });
        const other = await makeOwner(db);
        const made = [
          ...[1, 2, 3].map(() => newJob(other, { modelId })),
          ...[1, 2, 3].map(() => newJob(owner, { modelId })),
          newJob(other, { modelId, priority: 1 }),
        ];
        const insertions = await Promise.all(made.map(job => insertJob(db, job)));
        const queue = await queueOf(modelId);
        assert.equal(queue.length, waiting + 7);
        const beyond = (place: number) => (place > 100 ? 'beyond' : place);
        for (const [index, insertion] of insertions.entries()) {
          const place = queue.findIndex(({ id }) => id === made[index]!.id);
          assert.equal(beyond((insertion as Inserted).ahead), beyond(place));
        }
      });

    test('it is exact also where fresh totals would put it far out', async () => {
      const modelId = unique('model');
      await fillQueue(db, owner, { modelId, count: 1_000 });
      // All but the first fifty are behind one rank that is far from theirs.
      await db.write(`UPDATE jobs SET rank = 10000 WHERE model_id = $1 AND rank >= 60`, [modelId]);
      await db.write(`UPDATE jobs SET rank = 9000 WHERE model_id = $1 AND rank = 50`, [modelId]);
      const queue = await queueOf(modelId);
      const positions = openQueuePositions(db, openTestClock());
      await until(async () => (await positions.positionOf(queue[999]!)) > 100, 'the totals');
      assert.equal(queue[59]?.rank, 9_000);
      assert.equal(await positions.positionOf(queue[59]!), 59);
    });

    test('an estimate is made anew from totals that are ten seconds old', async () => {
      const modelId = unique('model');
      await fillQueue(db, owner, { modelId, count: 2_000 });
      const clock = openTestClock();
      const positions = openQueuePositions(db, clock);
      const last = (await queueOf(modelId))[1_999]!;
      const untilPosition = (wanted: number) =>
        until(async () => (await positions.positionOf(last)) === wanted, `the place ${wanted}`);
      await untilPosition(2_000);
      await fillQueue(db, owner, { modelId, count: 2_000 });
      assert.equal(await positions.positionOf(last), 2_000);
      clock.advance(10_001);
      await untilPosition(4_000);
    });

    test('a model where nothing waits has no line', async () => {
      const job = { ...newJob(owner, { modelId: unique('model') }), rank: 0 };
      assert.equal(await openQueuePositions(db, openTestClock()).positionOf(job), 0);
    });
  });
}
