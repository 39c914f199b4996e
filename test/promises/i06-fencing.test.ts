/** Promise I6: a worker that lost its lease changes nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import { jobError, type Lease, type Outcome } from '../../src/domain/job.ts';
import { insertAttempt, recordAnswer, recordResend } from '../../src/store/attempts/attempts.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob, isCancelRequested } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { recordProgress } from '../../src/store/jobs/leased-job.ts';
import { expireJobs } from '../../src/store/jobs/maintenance.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/orphaned-jobs.ts';
import { resumeJobs } from '../../src/store/jobs/resume.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker, removeWorker } from '../../src/store/jobs/workers.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, newFile, type Owner, unique, wait } from '../../testkit/databases/rows.ts';
import { readTables } from '../../testkit/databases/tables.ts';

const leaseMs = 30_000;
const outcomes: readonly Outcome[] = [
  { kind: 'completed', result: { outputs: [], inferenceMs: 1 } },
  { kind: 'failed', error: jobError('runtime_error', 'it broke') },
  { kind: 'failed', error: jobError('submission_uncertain', 'unknown') },
  { kind: 'cancelled' },
  { kind: 'retry', dueAt: later, reason: 'busy' },
  { kind: 'interrupted' },
];
const intent = { number: 2, provider: 'p', account: 'a', dedupeKey: 'k', billable: true };

for (const dialect of dialects) {
  describe(`I6 fencing (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    /** Of the process that was frozen. */
    let frozen: Connection;
    let owner: Owner;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      frozen = await database.connect();
      owner = await makeOwner(db);
    });
    after(() => database.remove());

    const claim = async (job: NewJob): Promise<Lease> => {
      const worker = newWorkerId();
      await registerWorker(db, worker);
      const [taken] = await claimJobs(db, { worker, modelId: job.modelId, limit: 1, now: later });
      return { jobId: job.id, holder: worker, claim: taken!.claim };
    };
    const requeue = async ({ holder }: Lease) => {
      await removeWorker(db, holder);
      await requeueOrphanedJobs(db, leaseMs, later);
    };

    const losses: Readonly<Record<string, (job: NewJob, lease: Lease) => Promise<unknown>>> = {
      'was requeued and waits again': (_, lease) => requeue(lease),
      'was requeued and is leased to another': async (job, lease) => {
        await requeue(lease);
        await claim(job);
      },
      'was requeued and completed by another': async (job, lease) => {
        await requeue(lease);
        await settle(db, await claim(job), outcomes[0]!, later);
      },
      'was requeued and cancelled while it waited': async (job, lease) => {
        await requeue(lease);
        await cancelJob(db, { jobId: job.id, userId: owner.userId, modelId: job.modelId }, later);
      },
      'was requeued and expired': async (job, lease) => {
        await requeue(lease);
        await expireJobs(db, job.expiresAt, 10);
      },
      'was closed as poison': async (_, lease) => {
        await db.write('UPDATE jobs SET deaths = 2 WHERE id = $1', [lease.jobId]);
        await requeue(lease);
      },
      'was released and is leased to the same worker again': async (job, lease) => {
        await settle(db, lease, { kind: 'interrupted' }, later);
        await claimJobs(db, { worker: lease.holder, modelId: job.modelId, limit: 1, now: later });
      },
    };
    for (const [what, lose] of Object.entries(losses)) {
      test(`I6 no write of a holder changes a row once its job ${what}`, async () => {
        const job = await wait(db, owner, {
          modelId: unique('model'),
          callbackUrl: 'https://a.test/',
          expiresAt: later + 1_000,
        });
        const lease = await claim(job);
        assert.equal(await insertAttempt(frozen, lease, { ...intent, number: 1 }, later), true);
        await recordProgress(frozen, lease, 0.4);
        await lose(job, lease);

        const before = await readTables(db);
        assert.equal(await insertAttempt(frozen, lease, intent, later), false);
        assert.equal(await recordResend(frozen, lease, { number: 1, prepared: undefined }), false);
        await recordProgress(frozen, lease, 0.9);
        assert.equal(await isCancelRequested(frozen, lease), false);
        for (const outcome of outcomes) {
          const files = [newFile(owner, { source: 'output', jobId: job.id })];
          assert.equal(await settle(frozen, lease, outcome, later, files), false);
        }
        assert.deepEqual(await readTables(db), before);
      });
    }

    const dead: Readonly<Record<string, (worker: WorkerId) => Promise<unknown>>> = {
      'whose row is gone': worker => removeWorker(db, worker),
      'that has not beaten for its lease': worker =>
        db.write(`UPDATE workers SET heartbeat_at = ${db.nowMs} - $1 WHERE id = $2`, [leaseMs, worker]),
    };
    for (const [what, die] of Object.entries(dead)) {
      test(`I6 a worker ${what} claims nothing`, async () => {
        const modelId = unique('model');
        const account = { id: unique('account'), slots: 9, rate: null };
        const first = await wait(db, owner, { modelId });
        const worker = newWorkerId();
        await registerWorker(db, worker);
        const wanted = { worker, modelId, account, limit: 9, now: later, leaseMs };
        const [job] = await claimJobs(frozen, wanted);
        assert.equal(job?.id, first.id);
        const lease = { jobId: first.id, holder: worker, claim: job.claim };
        await insertAttempt(frozen, lease, { ...intent, number: 1, account: account.id }, later);
        await recordAnswer(frozen, first.id, 1, { kind: 'accepted', ref: {} }, later);
        await settle(frozen, lease, { kind: 'interrupted' }, later);
        await wait(db, owner, { modelId });

        await die(worker);
        assert.deepEqual(await resumeJobs(frozen, wanted), []);
        assert.deepEqual(await claimJobs(frozen, wanted), []);
        const fresh = newWorkerId();
        await registerWorker(db, fresh);
        assert.equal((await resumeJobs(frozen, { ...wanted, worker: fresh })).length, 1);
        assert.equal((await claimJobs(frozen, { ...wanted, worker: fresh })).length, 1);
      });
    }

    test('I6 a living worker is not robbed by a requeue, and a job is rescued once however many try', async () => {
      const job = await wait(db, owner, { modelId: unique('model') });
      const lease = await claim(job);
      assert.deepEqual(await requeueOrphanedJobs(frozen, leaseMs, later), { requeued: [], failed: [] });
      await removeWorker(db, lease.holder);
      const rescues = await Promise.all(
        Array.from({ length: 8 }, (_, index) => requeueOrphanedJobs(index % 2 ? db : frozen, leaseMs, later)),
      );
      assert.deepEqual(
        rescues.flatMap(({ requeued }) => requeued),
        [job.id],
      );
      assert.equal(await settle(frozen, lease, outcomes[0]!, later), false);
    });
  });
}
