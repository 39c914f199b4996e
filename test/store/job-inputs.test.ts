/** How long the media of a job's input are kept. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { days, hours, minutes, seconds } from '../../src/domain/clock.ts';
import { type JobId, newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import { type Job, jobError, maxCrashes } from '../../src/domain/job.ts';
import { insertAttempt, recordAnswer } from '../../src/store/attempts/attempts.ts';
import { resolveUncertainSubmission } from '../../src/store/attempts/uncertain.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { insertJob, type NewJob } from '../../src/store/jobs/insert.ts';
import { rerunJob } from '../../src/store/jobs/inspect.ts';
import { expireJobs } from '../../src/store/jobs/maintenance.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/orphaned-jobs.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, newFile, newJob, type Owner, unique } from '../../testkit/databases/rows.ts';

const month = 30 * days;
const failed = { kind: 'failed', error: jobError('runtime_error', 'failed') } as const;
const uncertain = { kind: 'failed', error: jobError('submission_uncertain', 'unknown') } as const;
const completed = { kind: 'completed', result: { outputs: [], inferenceMs: 1 } } as const;
const account = { id: 'studio', slots: 1000, rate: null };

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let owner: Owner;
    let worker: WorkerId;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      owner = await makeOwner(db);
      worker = newWorkerId();
      await registerWorker(db, worker);
    });
    after(() => database.remove());

    /** An available job with one input medium, which lives for a month. */
    async function create(): Promise<NewJob> {
      const job = newJob(owner, { modelId: unique('model') });
      const made = { createdAt: later, expiresAt: later + month, jobId: job.id };
      await insertJob(db, job, {
        files: [newFile(owner, { ...made, source: 'input' }), newFile(owner, { ...made, source: 'output' })],
      });
      return job;
    }
    async function lease(modelId: string): Promise<Job> {
      const [job] = await claimJobs(db, { worker, modelId, limit: 1, now: later, account });
      assert.ok(job);
      return job;
    }
    const leaseOf = ({ id, claim }: Job) => ({ jobId: id, holder: worker, claim });
    const intend = async (job: Job, billable: boolean) => {
      const intent = { number: 1, provider: 'relay', account: 'studio', dedupeKey: `${job.id}-1`, billable };
      assert.equal(await insertAttempt(db, leaseOf(job), intent, later), true);
    };
    const cancel = ({ id, userId, modelId }: Pick<Job, 'id' | 'userId' | 'modelId'>) =>
      cancelJob(db, { jobId: id, userId, modelId }, later);
    async function endOf(source: string, jobId: JobId): Promise<number> {
      const [row] = await db.read('SELECT expires_at FROM files WHERE job_id = $1 AND source = $2', [
        jobId,
        source,
      ]);
      return Number(row?.expires_at);
    }

    const uncharged: Readonly<Record<string, (job: NewJob) => Promise<unknown>>> = {
      'cancelled while it waits': cancel,
      'cancelled while it runs': async job =>
        settle(db, leaseOf(await lease(job.modelId)), { kind: 'cancelled' }, later),
      'failed before anything was sent': async job =>
        settle(db, leaseOf(await lease(job.modelId)), failed, later),
      'failed where nothing is charged': async job => {
        const leased = await lease(job.modelId);
        await intend(leased, false);
        await recordAnswer(db, leased.id, 1, { kind: 'accepted', ref: {} }, later);
        await settle(db, leaseOf(leased), failed, later);
      },
      'refused by an upstream that charges': async job => {
        const leased = await lease(job.modelId);
        await intend(leased, true);
        await recordAnswer(db, leased.id, 1, { kind: 'refused', error: {} }, later);
        await settle(db, leaseOf(leased), failed, later);
      },
      'past its deadline': async job => {
        await db.write('UPDATE jobs SET expires_at = $1 WHERE id = $2', [later, job.id]);
        await expireJobs(db, later, 1000);
      },
      'closed as poison': async job => {
        const leased = await lease(job.modelId);
        await db.write('UPDATE jobs SET deaths = $1 WHERE id = $2', [maxCrashes - 1, leased.id]);
        await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1', [1 * minutes]);
        await requeueOrphanedJobs(db, 30 * seconds, later);
        worker = newWorkerId();
        await registerWorker(db, worker);
      },
    };
    for (const [what, end] of Object.entries(uncharged)) {
      test(`the media of a job that was ${what} go in an hour, and nothing else`, async () => {
        const job = await create();
        await end(job);
        assert.equal(await endOf('input', job.id), later + 1 * hours);
        assert.equal(await endOf('output', job.id), later + month);
      });
    }

    test('the media of a job that may be charged, or that was made, stay', async () => {
      const done = await create();
      await settle(db, leaseOf(await lease(done.modelId)), completed, later);
      const paid = await create();
      const leased = await lease(paid.modelId);
      await intend(leased, true);
      await recordAnswer(db, leased.id, 1, { kind: 'accepted', ref: {} }, later);
      await settle(db, leaseOf(leased), failed, later);
      const uncertainJob = await create();
      const open = await lease(uncertainJob.modelId);
      await intend(open, true);
      await settle(db, leaseOf(open), uncertain, later);
      for (const job of [done, paid, uncertainJob]) assert.equal(await endOf('input', job.id), later + month);
    });

    test('a requeued job keeps its media', async () => {
      const job = await create();
      const retry = { kind: 'retry', dueAt: later, reason: 'again' } as const;
      await settle(db, leaseOf(await lease(job.modelId)), retry, later);
      assert.equal(await endOf('input', job.id), later + month);
    });

    test('run again within the hour: the media live on as long as any copy needs them', async () => {
      const job = await create();
      await cancel(job);
      const now = later + 59 * minutes;
      const copy = await rerunJob(db, job.id, { actor: 'operator', now });
      assert.ok(copy);
      assert.equal(await endOf('input', job.id), now + month);
      const second = await rerunJob(db, copy, { actor: 'operator', now });
      assert.ok(second);
      await cancel({ ...job, id: copy });
      assert.equal(await endOf('input', job.id), now + month);
      await cancel({ ...job, id: second });
      assert.equal(await endOf('input', job.id), later + 1 * hours);
    });

    test('a copy that ends leaves the media to the first job that still waits', async () => {
      const job = await create();
      const copy = await rerunJob(db, job.id, { actor: 'operator', now: later });
      assert.ok(copy);
      await cancel({ ...job, id: copy });
      assert.equal(await endOf('input', job.id), later + month);
      await cancel(job);
      assert.equal(await endOf('input', job.id), later + 1 * hours);
    });

    test('media that were removed stay removed', async () => {
      const job = await create();
      await cancel(job);
      await rerunJob(db, job.id, { actor: 'operator', now: later + 1 * hours });
      assert.equal(await endOf('input', job.id), later + 1 * hours);
    });

    test('an uncertain submission that is resent has the media of the first job', async () => {
      const job = await create();
      const leased = await lease(job.modelId);
      await intend(leased, true);
      await settle(db, leaseOf(leased), uncertain, later);
      const now = later + 20 * days;
      assert.equal(
        (await resolveUncertainSubmission(db, job.id, { kind: 'sent_again' }, now)).kind,
        'settled',
      );
      assert.equal(await endOf('input', job.id), now + month);
    });
  });
}
