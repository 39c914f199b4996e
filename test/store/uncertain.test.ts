/** The list of uncertain submissions, and how an operator resolves them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { days, minutes, seconds } from '../../src/domain/clock.ts';
import { type JobId, newJobId, newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import { type Job, jobError, maxCrashes } from '../../src/domain/job.ts';
import {
  type AttemptAnswer,
  insertAttempt,
  readLastAttempts,
  recordAnswer,
} from '../../src/store/attempts/attempts.ts';
import {
  listUncertainSubmissions,
  resolveUncertainSubmission,
  type UncertainResolution,
} from '../../src/store/attempts/uncertain.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { rerunJob } from '../../src/store/jobs/inspect.ts';
import { expireJobs, pruneJobs } from '../../src/store/jobs/maintenance.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/orphaned-jobs.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, rowOf, unique, wait } from '../../testkit/databases/rows.ts';

const account = { id: 'studio', slots: 1000, rate: null };
const uncertain = { kind: 'failed', error: jobError('submission_uncertain', 'unknown') } as const;
const runtime = { kind: 'failed', error: jobError('runtime_error', 'failed') } as const;
const retry = { kind: 'retry', dueAt: later, reason: 'again' } as const;

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

    /** A leased job with an intent at an upstream that charges. */
    async function submitted(billable = true, wanted: Partial<NewJob> = {}): Promise<Job> {
      const modelId = unique('model');
      await wait(db, owner, { modelId, ...wanted });
      const [job] = await claimJobs(db, { worker, modelId, limit: 1, now: later, account });
      assert.ok(job);
      const intent = { number: 1, provider: 'relay', account: 'studio', dedupeKey: `${job.id}-1`, billable };
      assert.equal(await insertAttempt(db, leaseOf(job), intent, later), true);
      return job;
    }
    const leaseOf = ({ id, claim }: Job) => ({ jobId: id, holder: worker, claim });
    const answer = ({ id }: Job, given: AttemptAnswer) => recordAnswer(db, id, 1, given, later);
    const isUncertain = async (id: JobId) =>
      (await listUncertainSubmissions(db)).some(submission => submission.jobId === id);
    const leaveUncertain = async (wanted: Partial<NewJob> = {}) => {
      const job = await submitted(true, wanted);
      await answer(job, { kind: 'unknown', error: { message: 'the connection failed' } });
      await settle(db, leaseOf(job), uncertain, later);
      return job;
    };

    test('a result that is paid for and cannot be read is on the list with what its upstream answered', async () => {
      const job = await submitted();
      await answer(job, { kind: 'accepted', ref: { id: 'theirs' } });
      const uncertainSubmission = { message: 'the answer cannot be read', answer: '{"works":[null]}' };
      await settle(db, leaseOf(job), { ...uncertain, uncertainSubmission }, later);
      const found = (await listUncertainSubmissions(db)).find(({ jobId }) => jobId === job.id);
      assert.deepEqual([found?.attempt, found?.reason], [1, 'the answer cannot be read: {"works":[null]}']);
    });

    test('an uncertain job is on the list with all that is known', async () => {
      const job = await leaveUncertain();
      const found = (await listUncertainSubmissions(db)).find(submission => submission.jobId === job.id);
      assert.deepEqual(found, {
        jobId: job.id,
        userId: owner.userId,
        userName: found?.userName,
        modelId: job.modelId,
        state: 'failed',
        error: uncertain.error,
        attempt: 1,
        provider: 'relay',
        account: 'studio',
        dedupeKey: `${job.id}-1`,
        sends: 1,
        sentAt: later,
        doubtedAt: later,
        reason: 'the connection failed',
        candidates: [],
      });
      // A late answer is recorded; the uncertain submission is resolved by a person.
      await answer(job, { kind: 'accepted', ref: { id: 'up' } });
      assert.equal(await isUncertain(job.id), true);
    });

    test('a refusal that a frozen process records late clears the uncertain submission', async () => {
      const job = await leaveUncertain();
      await answer(job, { kind: 'refused', error: { code: 'invalid_input' } });
      assert.equal(await isUncertain(job.id), false);
      const settled = await resolveUncertainSubmission(db, job.id, { kind: 'given_up' }, later);
      assert.deepEqual(settled, { kind: 'unknown' });
    });

    test('certain ends leave no uncertain submission', async () => {
      const refused = await submitted();
      await answer(refused, { kind: 'refused', error: {} });
      await settle(db, leaseOf(refused), runtime, later);
      const accepted = await submitted();
      await answer(accepted, { kind: 'accepted', ref: { id: 'up' } });
      await settle(db, leaseOf(accepted), { kind: 'cancelled' }, later);
      const free = await submitted(false);
      await settle(db, leaseOf(free), { kind: 'cancelled' }, later);
      for (const job of [refused, accepted, free]) assert.equal(await isUncertain(job.id), false);
    });

    test('a job that continues has no uncertain submission yet', async () => {
      const job = await submitted();
      await settle(db, leaseOf(job), retry, later);
      assert.equal(await isUncertain(job.id), false);
    });

    test('every other end of a job with an open intent reports it: cancel, deadline, crashes', async () => {
      const cancelled = await submitted();
      await settle(db, leaseOf(cancelled), retry, later);
      const { userId, modelId } = cancelled;
      await cancelJob(db, { jobId: cancelled.id, userId, modelId }, later);
      assert.equal(await isUncertain(cancelled.id), true);

      const expired = await submitted();
      await settle(db, leaseOf(expired), retry, later);
      await expireJobs(db, later + 30 * days, 1000);
      assert.equal(await isUncertain(expired.id), true);

      const poison = await submitted();
      await db.write('UPDATE jobs SET deaths = $1 WHERE id = $2', [maxCrashes - 1, poison.id]);
      await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1', [1 * minutes]);
      await requeueOrphanedJobs(db, 30 * seconds, later);
      worker = newWorkerId();
      await registerWorker(db, worker);
      assert.equal(await isUncertain(poison.id), true);
    });

    test('a job with an uncertain submission is not pruned until that is resolved', async () => {
      const job = await leaveUncertain();
      await pruneJobs(db, later + 60 * days, 1000);
      assert.equal(await isUncertain(job.id), true);
      await resolveUncertainSubmission(db, job.id, { kind: 'given_up' }, later);
      await pruneJobs(db, later + 60 * days, 1000);
      assert.deepEqual(await db.read('SELECT id FROM jobs WHERE id = $1', [job.id]), []);
    });

    const settlements: readonly UncertainResolution[] = [
      { kind: 'given_up' },
      { kind: 'sent_again' },
      { kind: 'adopted', upstreamId: 'up-7' },
    ];
    for (const settlement of settlements) {
      test(`an uncertain submission is resolved once, with an audit row: ${settlement.kind}`, async () => {
        const job = await leaveUncertain();
        const [settled, again] = await Promise.all([
          resolveUncertainSubmission(db, job.id, settlement, later),
          resolveUncertainSubmission(db, job.id, settlement, later),
        ]);
        assert.deepEqual([settled.kind, again.kind].toSorted(), ['settled', 'unknown']);
        assert.equal(await isUncertain(job.id), false);
        const audited = await db.read(
          `SELECT actor FROM audit WHERE action = 'doubt.settle' AND subject = $1`,
          [job.id],
        );
        assert.deepEqual(
          audited.map(row => row.actor),
          ['operator'],
        );
        const [old] = await db.read('SELECT state FROM jobs WHERE id = $1', [job.id]);
        assert.equal(old?.state, 'failed');
      });
    }

    test('sent again: a new job of the same input waits, free to go to any account', async () => {
      const job = await leaveUncertain();
      const settled = await resolveUncertainSubmission(db, job.id, { kind: 'sent_again' }, later + 5);
      assert.ok(settled.kind === 'settled' && settled.newJobId !== null);
      const elsewhere = { ...account, id: 'elsewhere' };
      const wanted = { worker, modelId: job.modelId, limit: 9, now: later + 5 };
      const [made] = await claimJobs(db, { ...wanted, account: elsewhere });
      assert.equal(made?.id, settled.newJobId);
      assert.deepEqual([made?.userId, made?.input], [job.userId, job.input]);
      assert.equal((await readLastAttempts(db, [settled.newJobId])).size, 0);
    });

    const copies: Readonly<Record<string, (job: Job) => Promise<JobId | null>>> = {
      'sent again': async job => {
        const settled = await resolveUncertainSubmission(db, job.id, { kind: 'sent_again' }, later + 5);
        return settled.kind === 'settled' ? settled.newJobId : null;
      },
      adopted: async job => {
        const settled = await resolveUncertainSubmission(
          db,
          job.id,
          { kind: 'adopted', upstreamId: 'up-8' },
          later + 5,
        );
        return settled.kind === 'settled' ? settled.newJobId : null;
      },
      'run again': job => rerunJob(db, job.id, { actor: 'operator', now: later + 5 }),
    };
    for (const [what, copy] of Object.entries(copies)) {
      test(`${what}: the copy keeps its accounts, priority, callback and time, and waits behind its user's jobs`, async () => {
        const callbackUrl = 'https://receiver.test/hooks';
        const job = await leaveUncertain({ priority: 1, accounts: ['studio', 'spare'], callbackUrl });
        const { modelId } = job;
        for (let place = 0; place < 3; place++) await wait(db, owner, { modelId, priority: 1 });
        await wait(db, await makeOwner(db), { modelId, priority: 1 });
        const id = await copy(job);
        assert.ok(id);
        const made = await rowOf(db, id);
        assert.deepEqual(
          [made.accounts, made.band, made.callback_url, made.input, made.parent_id, made.key_id],
          [',studio,spare,', 1, callbackUrl, '{"prompt":"a"}', job.id, owner.keyId],
        );
        assert.deepEqual(
          [made.created_at, made.due_at, made.expires_at],
          [later + 5, later + 5, later + 5 + job.expiresAt - job.createdAt],
        );
        assert.equal(made.rank, 3);
        const elsewhere = { ...account, id: 'elsewhere' };
        const wanted = { worker, modelId, limit: 9, now: later + 5, account: elsewhere };
        assert.equal(
          (await claimJobs(db, wanted)).some(claimed => claimed.id === id),
          false,
        );
      });
    }

    test('a job that is not there is not copied', async () => {
      assert.equal(await rerunJob(db, newJobId(later), { actor: 'operator', now: later }), null);
    });

    test('adopted: the new job continues with what the upstream has, at that account alone', async () => {
      const job = await leaveUncertain();
      const settled = await resolveUncertainSubmission(
        db,
        job.id,
        { kind: 'adopted', upstreamId: 'up-7' },
        later + 5,
      );
      assert.ok(settled.kind === 'settled' && settled.newJobId !== null);
      const wanted = { worker, modelId: job.modelId, limit: 9, now: later + 5 };
      assert.deepEqual(await claimJobs(db, { ...wanted, account: { ...account, id: 'elsewhere' } }), []);
      const [made] = await claimJobs(db, { ...wanted, account });
      assert.equal(made?.id, settled.newJobId);
      assert.ok((made?.claim ?? 0) > 1);
      const attempt = (await readLastAttempts(db, [settled.newJobId])).get(settled.newJobId);
      assert.deepEqual(
        [attempt?.answer, attempt?.ref, attempt?.account],
        ['accepted', { id: 'up-7' }, 'studio'],
      );
    });
  });
}
