/** Maintenance statements: expire, requeue jobs of dead workers, prune. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import { jobError, type Outcome } from '../../src/domain/job.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { markFetchingOutputs, resetCrashes } from '../../src/store/jobs/leased-job.ts';
import { expireJobs, pruneJobs } from '../../src/store/jobs/maintenance.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/orphaned-jobs.ts';
import { listEvents } from '../../src/store/jobs/read.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import {
  findCancelRequested,
  markStopping,
  recordHeartbeat,
  registerWorker,
  removeDeadWorkers,
  removeWorker,
} from '../../src/store/jobs/workers.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import {
  deliveriesOf,
  fileIdsOf,
  later,
  makeOwner,
  newFile,
  type Owner,
  rowOf,
  unique,
  wait,
} from '../../testkit/databases/rows.ts';

const leaseMs = 30 * seconds;
const completed: Outcome = { kind: 'completed', result: { outputs: [], inferenceMs: 1 } };

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

    const callbackUrl = 'https://a.test/callback';
    const claim = async (job: NewJob, worker: WorkerId) => {
      const [claimed] = await claimJobs(db, { worker, modelId: job.modelId, limit: 1, now: later });
      return { jobId: job.id, holder: worker, claim: claimed!.claim };
    };
    const waitAlone = (wanted: Partial<NewJob> = {}) =>
      wait(db, owner, { modelId: unique('model'), ...wanted });
    /** A worker whose last heartbeat lies that far back. */
    const openWorker = async (silentMs: number) => {
      const worker = newWorkerId();
      await registerWorker(db, worker);
      await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $2 WHERE id = $1', [worker, silentMs]);
      return worker;
    };

    describe('expire', () => {
      test('ends waiting jobs whose deadline passed, and no others', async () => {
        const late = await waitAlone({ expiresAt: later });
        const inTime = await waitAlone({ expiresAt: later + 1 });
        const running = await waitAlone({ expiresAt: later });
        await claim(running, await openWorker(0));
        assert.deepEqual(await expireJobs(db, later, 10), [late.id]);
        const { state, completed_at, error } = await rowOf(db, late.id);
        const words = JSON.stringify(jobError('expired', 'the deadline passed before the job was done'));
        assert.deepEqual([state, completed_at, error], ['failed', later, words]);
        assert.equal((await rowOf(db, inTime.id)).state, 'available');
        assert.equal((await rowOf(db, running.id)).state, 'running');
      });
      test('takes the oldest deadlines first and stops at its limit', async () => {
        const jobs = [];
        for (const past of [3, 1, 2]) jobs.push(await waitAlone({ expiresAt: later - past }));
        assert.deepEqual((await expireJobs(db, later, 2)).toSorted(), [jobs[0]!.id, jobs[2]!.id].toSorted());
        assert.deepEqual(await expireJobs(db, later, 2), [jobs[1]!.id]);
      });
    });

    describe('requeue', () => {
      test('requeues the jobs of a silent worker and leaves those of a live one', async () => {
        const [lost, kept] = [await waitAlone(), await waitAlone()];
        await claim(lost, await openWorker(leaseMs));
        await claim(kept, await openWorker(leaseMs - 5 * seconds));
        assert.deepEqual(await requeueOrphanedJobs(db, leaseMs, later), { requeued: [lost.id], failed: [] });
        const row = await rowOf(db, lost.id);
        assert.deepEqual([row.state, row.holder, row.deaths, row.claim], ['available', null, 1, 1]);
        assert.equal((await rowOf(db, kept.id)).state, 'running');
        assert.deepEqual(await listEvents(db, lost.id), [
          { at: later, level: 'WARN', message: 'Requeued: worker lease expired' },
        ]);
      });
      test('requeues the jobs of a worker without a row', async () => {
        const job = await waitAlone();
        await claim(job, newWorkerId());
        assert.deepEqual(await requeueOrphanedJobs(db, leaseMs, later), { requeued: [job.id], failed: [] });
      });
      test('a lease whose job was requeued settles nothing', async () => {
        const job = await waitAlone();
        const lease = await claim(job, newWorkerId());
        await requeueOrphanedJobs(db, leaseMs, later);
        assert.equal(await settle(db, lease, completed, later), false);
        assert.equal((await rowOf(db, job.id)).state, 'available');
      });
      test('closes a job with its third crash', async () => {
        const job = await waitAlone({ callbackUrl });
        for (let death = 1; death <= 2; death++) {
          await claim(job, newWorkerId());
          assert.deepEqual(await requeueOrphanedJobs(db, leaseMs, later), { requeued: [job.id], failed: [] });
        }
        await claim(job, newWorkerId());
        assert.deepEqual(await requeueOrphanedJobs(db, leaseMs, later + 1), {
          requeued: [],
          failed: [job.id],
        });
        const { state, deaths, completed_at, error } = await rowOf(db, job.id);
        const words = 'the worker process crashed 3 times while it ran this job';
        assert.deepEqual(
          [state, deaths, completed_at, error],
          ['failed', 3, later + 1, JSON.stringify(jobError('internal_error', words))],
        );
      });
      test('a worker that releases a job did not crash: its crashes are reset', async () => {
        const job = await waitAlone();
        for (let round = 0; round < 2; round++) {
          await claim(job, newWorkerId());
          await requeueOrphanedJobs(db, leaseMs, later);
        }
        await settle(db, await claim(job, newWorkerId()), { kind: 'interrupted' }, later);
        assert.equal((await rowOf(db, job.id)).deaths, 0);
      });
      test('a crash while outputs were fetched is not reset by a successful submission', async () => {
        const job = await waitAlone();
        for (const isCollecting of [true, false]) {
          const lease = await claim(job, newWorkerId());
          if (isCollecting) await markFetchingOutputs(db, lease);
          await requeueOrphanedJobs(db, leaseMs, later);
        }
        const lease = await claim(job, newWorkerId());
        assert.equal(await resetCrashes(db, lease), false);
        assert.equal((await rowOf(db, job.id)).deaths, 2);
        await settle(db, lease, completed, later);
      });
      test('a crash before that is forgotten', async () => {
        const job = await waitAlone();
        await claim(job, newWorkerId());
        await requeueOrphanedJobs(db, leaseMs, later);
        const lease = await claim(job, newWorkerId());
        assert.equal(await resetCrashes(db, lease), true);
        assert.equal((await rowOf(db, job.id)).deaths, 0);
        await settle(db, lease, completed, later);
      });
      test('a worker that was stopping was terminated from outside: no job is charged', async () => {
        const job = await waitAlone();
        const worker = await openWorker(leaseMs);
        await claim(job, worker);
        await markStopping(db, worker);
        assert.deepEqual(await requeueOrphanedJobs(db, leaseMs, later), { requeued: [job.id], failed: [] });
        assert.equal((await rowOf(db, job.id)).deaths, 0);
      });
      test('many workers that are found dead at one start count once for each job', async () => {
        const jobs = [];
        for (let i = 0; i < 6; i++) {
          const job = await waitAlone();
          await claim(job, await openWorker(leaseMs));
          jobs.push(job);
        }
        const { requeued, failed } = await requeueOrphanedJobs(db, leaseMs, later);
        assert.deepEqual([requeued.length, failed], [6, []]);
        for (const job of jobs) assert.equal((await rowOf(db, job.id)).deaths, 1);
      });
      test('two processes that requeue at once count a crash once', async () => {
        const other = await database.connect();
        const worker = newWorkerId();
        const jobs = [];
        for (let i = 0; i < 20; i++) jobs.push(await waitAlone());
        for (const job of jobs) await claim(job, worker);
        const rescued = await Promise.all([
          requeueOrphanedJobs(db, leaseMs, later),
          requeueOrphanedJobs(other, leaseMs, later),
        ]);
        assert.deepEqual(
          rescued.flatMap(({ requeued }) => requeued).toSorted(),
          jobs.map(({ id }) => id).toSorted(),
        );
        for (const job of jobs) assert.equal((await rowOf(db, job.id)).deaths, 1);
      });
    });

    test('prune deletes jobs that ended by then with all that hangs on them, up to its limit', async () => {
      const old = await waitAlone({ callbackUrl });
      await settle(db, await claim(old, newWorkerId()), { kind: 'interrupted' }, later);
      await settle(db, await claim(old, newWorkerId()), completed, later - 1000);
      const young = await waitAlone();
      const address = { jobId: young.id, userId: owner.userId, modelId: young.modelId };
      await cancelJob(db, address, later - 998);
      const waiting = await waitAlone();
      assert.equal(await pruneJobs(db, later - 999, 1), 1);
      assert.equal(await pruneJobs(db, later - 999, 1), 0);
      const left = await db.read('SELECT id FROM jobs WHERE id IN ($1, $2, $3)', [
        old.id,
        young.id,
        waiting.id,
      ]);
      assert.deepEqual(left.map(row => row.id).toSorted(), [young.id, waiting.id].toSorted());
      assert.deepEqual(await deliveriesOf(db, old.id), []);
      assert.deepEqual(await listEvents(db, old.id), []);
    });

    describe('a callback', () => {
      const waiting = (status: string) => ({ status, state: 'waiting' });

      test('of IN_PROGRESS is written with the claim, once, however often the job is claimed', async () => {
        const job = await waitAlone({ callbackUrl });
        assert.deepEqual(await deliveriesOf(db, job.id), []);
        const lease = await claim(job, newWorkerId());
        assert.deepEqual(await deliveriesOf(db, job.id), [waiting('IN_PROGRESS')]);
        await settle(db, lease, { kind: 'interrupted' }, later);
        await claim(job, newWorkerId());
        assert.deepEqual(await deliveriesOf(db, job.id), [waiting('IN_PROGRESS')]);
      });
      test('of COMPLETED takes the place of an unsent IN_PROGRESS', async () => {
        const job = await waitAlone({ callbackUrl });
        await settle(db, await claim(job, newWorkerId()), completed, later);
        assert.deepEqual(await deliveriesOf(db, job.id), [
          { status: 'IN_PROGRESS', state: 'superseded' },
          waiting('COMPLETED'),
        ]);
      });
      test('of a sent IN_PROGRESS stays delivered', async () => {
        const job = await waitAlone({ callbackUrl });
        const lease = await claim(job, newWorkerId());
        await db.write(`UPDATE deliveries SET state = 'delivered', ended_at = $2 WHERE job_id = $1`, [
          job.id,
          later,
        ]);
        await settle(db, lease, completed, later);
        assert.deepEqual(await deliveriesOf(db, job.id), [
          { status: 'IN_PROGRESS', state: 'delivered' },
          waiting('COMPLETED'),
        ]);
      });
      test('of COMPLETED is written when a waiting job is cancelled', async () => {
        const job = await waitAlone({ callbackUrl });
        await cancelJob(db, { jobId: job.id, userId: owner.userId, modelId: job.modelId }, later);
        assert.deepEqual(await deliveriesOf(db, job.id), [waiting('COMPLETED')]);
      });
      test('of COMPLETED is written when a waiting job expires', async () => {
        const job = await waitAlone({ callbackUrl, expiresAt: later });
        await expireJobs(db, later, 10);
        assert.deepEqual(await deliveriesOf(db, job.id), [waiting('COMPLETED')]);
      });
      test('of COMPLETED is written when a third crash closes a job', async () => {
        const job = await waitAlone({ callbackUrl });
        for (let death = 1; death <= 3; death++) {
          await claim(job, newWorkerId());
          await requeueOrphanedJobs(db, leaseMs, later);
        }
        assert.deepEqual(await deliveriesOf(db, job.id), [
          { status: 'IN_PROGRESS', state: 'superseded' },
          waiting('COMPLETED'),
        ]);
      });
      test('is not written for a job without an address', async () => {
        const job = await waitAlone();
        await settle(db, await claim(job, newWorkerId()), completed, later);
        assert.deepEqual(await deliveriesOf(db, job.id), []);
      });
      test('is due at once and carries the address and user of its job', async () => {
        const job = await waitAlone({ callbackUrl });
        await claim(job, newWorkerId());
        const [row] = await db.read('SELECT * FROM deliveries WHERE job_id = $1', [job.id]);
        assert.deepEqual(
          [row?.url, row?.user_id, row?.due_at, row?.created_at, row?.tries, row?.ended_at],
          [callbackUrl, owner.userId, later, later, 0, null],
        );
        assert.match(String(row?.id), /^msg_[0-9a-f-]{36}$/);
      });
    });

    describe('a worker', () => {
      const heartbeatOf = async (worker: WorkerId) => {
        const [row] = await db.read('SELECT heartbeat_at FROM workers WHERE id = $1', [worker]);
        return row?.heartbeat_at;
      };

      test('that beats is alive again by the clock of the database', async () => {
        const worker = await openWorker(10 * minutes);
        const before = Number(await heartbeatOf(worker));
        assert.equal(await recordHeartbeat(db, worker), true);
        assert.ok(Number(await heartbeatOf(worker)) >= before + 10 * minutes);
      });
      test('that was declared dead learns it with its next heartbeat', async () => {
        const [dead, living] = [await openWorker(leaseMs), await openWorker(leaseMs - 5 * seconds)];
        await removeDeadWorkers(db, leaseMs);
        assert.equal(await recordHeartbeat(db, dead), false);
        assert.equal(await recordHeartbeat(db, living), true);
      });
      test('that stopped leaves no row', async () => {
        const worker = await openWorker(0);
        await removeWorker(db, worker);
        assert.equal(await heartbeatOf(worker), undefined);
      });
      test('learns which of its jobs are to be cancelled', async () => {
        const [worker, other] = [await openWorker(0), await openWorker(0)];
        const jobs = [await waitAlone(), await waitAlone(), await waitAlone()];
        await claim(jobs[0]!, worker);
        await claim(jobs[1]!, worker);
        await claim(jobs[2]!, other);
        for (const { id, modelId } of [jobs[1]!, jobs[2]!]) {
          await cancelJob(db, { jobId: id, userId: owner.userId, modelId }, later);
        }
        assert.deepEqual(await findCancelRequested(db, worker), [jobs[1]!.id]);
      });
    });

    test('the files of a pruned job keep their rows until their own end', async () => {
      const job = await waitAlone();
      const file = newFile(owner, { source: 'output', jobId: job.id });
      await settle(db, await claim(job, newWorkerId()), completed, later - 5000, [file]);
      await pruneJobs(db, later - 5000, 10);
      assert.deepEqual(await fileIdsOf(db, job.id), [file.id]);
    });
  });
}
