/** Settling a job: outcomes, files, progress, constraints of the rows. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newWorkerId } from '../../src/domain/ids.ts';
import { type JobResult, jobError, type Lease, type Outcome } from '../../src/domain/job.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob, isCancelRequested } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { recordProgress } from '../../src/store/jobs/leased-job.ts';
import { listEvents, readJob } from '../../src/store/jobs/read.ts';
import { settle } from '../../src/store/jobs/settle.ts';
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

const result: JobResult = { outputs: [], seed: 7, inferenceMs: 1_500 };
const failure = jobError('runtime_error', 'it broke', { code: 'E1', message: 'no' });
const outcomes: readonly Outcome[] = [
  { kind: 'completed', result },
  { kind: 'failed', error: failure },
  { kind: 'cancelled' },
  { kind: 'retry', dueAt: later + 60_000, reason: 'busy' },
  { kind: 'interrupted' },
];

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

    const worker = newWorkerId();
    const claim = (modelId: string) => claimJobs(db, { worker, modelId, limit: 1, now: later });
    async function lease(
      wanted: Partial<NewJob> = {},
    ): Promise<{ readonly job: NewJob; readonly lease: Lease }> {
      const job = await wait(db, owner, { modelId: unique('model'), ...wanted });
      const [claimed] = await claim(job.modelId);
      return { job, lease: { jobId: job.id, holder: worker, claim: claimed!.claim } };
    }
    const addressOf = ({ id, userId, modelId }: NewJob) => ({ jobId: id, userId, modelId });

    describe('an outcome', () => {
      const settled = async (outcome: Outcome) => {
        const { job, lease: own } = await lease();
        assert.equal(await settle(db, own, outcome, later + 5), true);
        const { state, holder, completedAt, dueAt, claim, result, error } = (await readJob(
          db,
          addressOf(job),
        ))!;
        return { job, row: { state, holder, completedAt, dueAt, claim, result, error } };
      };
      const final = { holder: null, completedAt: later + 5, claim: 1, result: null, error: null };
      const waiting = {
        state: 'available',
        holder: null,
        completedAt: null,
        claim: 1,
        result: null,
        error: null,
      };

      test('completed keeps the result and the end', async () => {
        const { job, row } = await settled({ kind: 'completed', result });
        assert.deepEqual(row, { ...final, state: 'completed', dueAt: job.createdAt, result });
      });
      test('failed keeps the error and the end', async () => {
        const { job, row } = await settled({ kind: 'failed', error: failure });
        assert.deepEqual(row, { ...final, state: 'failed', dueAt: job.createdAt, error: failure });
      });
      test('cancelled keeps its own error and the end', async () => {
        const { job, row } = await settled({ kind: 'cancelled' });
        const error = jobError('cancelled', 'the job was cancelled');
        assert.deepEqual(row, { ...final, state: 'cancelled', dueAt: job.createdAt, error });
      });
      test('retry requeues the job until it is due, with the reason', async () => {
        const { job, row } = await settled({ kind: 'retry', dueAt: later + 60_000, reason: 'busy' });
        assert.deepEqual(row, { ...waiting, dueAt: later + 60_000 });
        assert.deepEqual(await listEvents(db, job.id), [{ at: later + 5, level: 'WARN', message: 'busy' }]);
        assert.deepEqual(
          await claimJobs(db, { worker, modelId: job.modelId, limit: 1, now: later + 59_999 }),
          [],
        );
        const [again] = await claimJobs(db, { worker, modelId: job.modelId, limit: 1, now: later + 60_000 });
        assert.equal(again?.claim, 2);
      });
      test('interrupted requeues the job at once and records it', async () => {
        const { job, row } = await settled({ kind: 'interrupted' });
        assert.deepEqual(row, { ...waiting, dueAt: later + 5 });
        assert.deepEqual(await listEvents(db, job.id), [
          { at: later + 5, level: 'INFO', message: 'Requeued: worker shut down' },
        ]);
      });
    });

    for (const outcome of outcomes) {
      test(`a stale lease changes nothing when it settles as ${outcome.kind}`, async () => {
        const { job, lease: first } = await lease({ callbackUrl: 'https://a.test/' });
        await settle(db, first, { kind: 'interrupted' }, later);
        await claim(job.modelId);
        const before = [
          await rowOf(db, job.id),
          await deliveriesOf(db, job.id),
          await listEvents(db, job.id),
        ];
        const stale: readonly Lease[] = [
          first,
          { ...first, claim: 2, holder: newWorkerId() },
          { ...first, claim: 3 },
        ];
        for (const one of stale) {
          const files = [newFile(owner, { source: 'output', jobId: job.id })];
          assert.equal(await settle(db, one, outcome, later + 9, files), false);
        }
        const after = [await rowOf(db, job.id), await deliveriesOf(db, job.id), await listEvents(db, job.id)];
        assert.deepEqual(after, before);
        assert.deepEqual(await fileIdsOf(db, job.id), []);
      });

      test(`a settled job stays as it is when the same lease settles again as ${outcome.kind}`, async () => {
        const { job, lease: own } = await lease();
        await settle(db, own, { kind: 'completed', result }, later);
        const before = await rowOf(db, job.id);
        assert.equal(await settle(db, own, outcome, later + 9), false);
        assert.deepEqual(await rowOf(db, job.id), before);
      });
    }

    test('the files of a result are kept with it', async () => {
      const { job, lease: own } = await lease();
      const file = newFile(owner, { source: 'output', jobId: job.id });
      await settle(db, own, { kind: 'completed', result }, later, [file]);
      assert.deepEqual(await fileIdsOf(db, job.id), [file.id]);
    });

    test('a result whose files cannot be stored leaves the job running and enqueues no callback', async () => {
      const { job, lease: own } = await lease({ callbackUrl: 'https://a.test/' });
      const blobKey = unique('blob');
      const files = [1, 2].map(() => newFile(owner, { source: 'output', jobId: job.id, blobKey }));
      await assert.rejects(settle(db, own, { kind: 'completed', result }, later, files), /unique/i);
      assert.equal((await rowOf(db, job.id)).state, 'running');
      assert.deepEqual(await deliveriesOf(db, job.id), [{ status: 'IN_PROGRESS', state: 'waiting' }]);
    });

    test('progress is written by the holder alone and forgotten when the job is requeued', async () => {
      const { job, lease: own } = await lease();
      await recordProgress(db, own, 0.4);
      await recordProgress(db, { ...own, claim: 9 }, 0.9);
      assert.equal((await readJob(db, addressOf(job)))?.progress, 0.4);
      await settle(db, own, { kind: 'interrupted' }, later);
      assert.equal((await readJob(db, addressOf(job)))?.progress, null);
    });

    describe('a cancel', () => {
      test('of a waiting job ends it at once', async () => {
        const job = await wait(db, owner, { modelId: unique('model') });
        assert.equal(await cancelJob(db, addressOf(job), later), 'cancelled');
        const { state, completed_at, cancel_requested_at, error } = await rowOf(db, job.id);
        const words = JSON.stringify(jobError('cancelled', 'the job was cancelled'));
        assert.deepEqual(
          [state, completed_at, cancel_requested_at, error],
          ['cancelled', later, later, words],
        );
        assert.deepEqual(await claim(job.modelId), []);
      });
      test('of a running job is recorded for its holder, and repeating it keeps the first time', async () => {
        const { job, lease: own } = await lease();
        assert.equal(await isCancelRequested(db, own), false);
        assert.equal(await cancelJob(db, addressOf(job), later), 'requested');
        assert.equal(await cancelJob(db, addressOf(job), later + 5), 'requested');
        const row = await rowOf(db, job.id);
        assert.deepEqual([row.state, row.cancel_requested_at], ['running', later]);
        assert.equal(await isCancelRequested(db, own), true);
        assert.equal(await isCancelRequested(db, { ...own, claim: 2 }), false);
      });
      test('of a final job changes nothing', async () => {
        const { job, lease: own } = await lease();
        await settle(db, own, { kind: 'completed', result }, later);
        const before = await rowOf(db, job.id);
        assert.equal(await cancelJob(db, addressOf(job), later + 5), 'already_final');
        assert.deepEqual(await rowOf(db, job.id), before);
      });
      test('by another user or under another model finds nothing', async () => {
        const job = await wait(db, owner);
        const { userId } = await makeOwner(db);
        assert.equal(await cancelJob(db, { ...addressOf(job), userId }, later), 'unknown');
        assert.equal(await cancelJob(db, { ...addressOf(job), modelId: 'another' }, later), 'unknown');
        assert.equal((await rowOf(db, job.id)).state, 'available');
      });
    });

    describe('an impossible row is refused by its table:', () => {
      const impossible = {
        'a state that does not exist': `state = 'queued'`,
        'a band that does not exist': 'band = 2',
        'a running job without a holder': `state = 'running', started_at = 1`,
        'a running job that never started': `state = 'running', holder = 'w'`,
        'a waiting job with a holder': `holder = 'w'`,
        'a waiting job with an end': 'completed_at = 1',
        'a waiting job with a result': `result = '{}'`,
        'a waiting job with an error': `error = '{}'`,
        'a completed job without a result': `state = 'completed', completed_at = 1`,
        'a completed job without an end': `state = 'completed', result = '{}'`,
        'a completed job with an error': `state = 'completed', completed_at = 1, result = '{}', error = '{}'`,
        'a failed job without an error': `state = 'failed', completed_at = 1`,
        'a cancelled job with a result': `state = 'cancelled', completed_at = 1, error = '{}', result = '{}'`,
        'progress beyond its end': 'progress = 1001',
        'an Idempotency-Key without a hash': `idempotency_key = 'k'`,
        'a user that does not exist': `user_id = 'user_x'`,
      };
      for (const [what, change] of Object.entries(impossible)) {
        test(what, async () => {
          const job = await wait(db, owner);
          const before = await rowOf(db, job.id);
          await assert.rejects(db.write(`UPDATE jobs SET ${change} WHERE id = $1`, [job.id]), /constraint/i);
          assert.deepEqual(await rowOf(db, job.id), before);
        });
      }
    });
  });
}
