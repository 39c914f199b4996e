/** Jobs: insert, summary, lookup, list. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hours } from '../../src/domain/clock.ts';
import { newJobId, newWorkerId } from '../../src/domain/ids.ts';
import { toJson } from '../../src/domain/json.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import {
  type JobQuery,
  listEvents,
  listJobs,
  readJob,
  readJobForStatus,
  readJobSummary,
} from '../../src/store/jobs/read.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import {
  later,
  makeOwner,
  newFile,
  newJob,
  type Owner,
  start,
  unique,
  wait,
} from '../../testkit/databases/rows.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let other: Connection;
    let owner: Owner;
    let stranger: Owner;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      other = await database.connect();
      owner = await makeOwner(db);
      stranger = await makeOwner(db);
    });
    after(() => database.remove());

    const addressOf = ({ id, userId, modelId }: ReturnType<typeof newJob>) => ({
      jobId: id,
      userId,
      modelId,
    });

    test('a job comes back as it was inserted, a 64-bit integer with all its digits', async () => {
      const input = { prompt: '𝒜 "quoted"\u0000', element_id: 9223372036854775807n, list: [0.5, -3] };
      const job = newJob(owner, {
        modelId: unique('model'),
        input: toJson(input),
        externalTaskId: unique('task'),
        callbackUrl: 'https://a.test/callback',
        idempotency: { key: unique('key'), hash: 'h' },
        priority: 1,
      });
      assert.deepEqual(await insertJob(db, job), { kind: 'inserted', rank: 0, ahead: 0 });
      assert.deepEqual(await readJob(db, addressOf(job)), {
        id: job.id,
        userId: owner.userId,
        keyId: owner.keyId,
        modelId: job.modelId,
        state: 'available',
        priority: 1,
        rank: 0,
        dueAt: job.createdAt,
        holder: null,
        claim: 0,
        crashes: 0,
        createdAt: job.createdAt,
        startedAt: null,
        completedAt: null,
        expiresAt: job.expiresAt,
        cancelRequestedAt: null,
        tags: null,
        cost: null,
        input,
        externalTaskId: job.externalTaskId,
        callbackUrl: 'https://a.test/callback',
        progress: null,
        result: null,
        error: null,
      });
    });

    test('jobs that arrive at one moment queue behind one another, user by user', async () => {
      const modelId = unique('model');
      const ranksOf = async (who: Owner, count: number) => {
        const jobs = Array.from({ length: count }, () => newJob(who, { modelId }));
        const kept = await Promise.all(jobs.map(job => insertJob(db, job)));
        return kept.map(one => (one.kind === 'inserted' ? one.rank : one.kind));
      };
      assert.deepEqual(await Promise.all([ranksOf(owner, 4), ranksOf(stranger, 2)]), [
        [0, 1, 2, 3],
        [0, 1],
      ]);
      assert.deepEqual(await ranksOf(stranger, 2), [2, 3]);
    });

    test('summaries that are read in one moment are each their own, or null', async () => {
      const modelId = unique('model');
      const jobs = await Promise.all([owner, stranger].map(who => wait(db, who, { modelId })));
      const addresses = [
        ...jobs.map(addressOf),
        { ...addressOf(jobs[0]!), userId: stranger.userId },
        { ...addressOf(jobs[0]!), modelId: 'another' },
        { ...addressOf(jobs[0]!), jobId: newJobId(start) },
      ];
      const found = await Promise.all(addresses.map(address => readJobForStatus(db, address)));
      assert.deepEqual(
        found.map(job => job && [job.id, job.userId]),
        [...jobs.map(job => [job.id, job.userId]), null, null, null],
      );
    });

    test('a job is not found by another user, under another model or by another id', async () => {
      const job = await wait(db, owner);
      const wrong = [
        { ...addressOf(job), userId: stranger.userId },
        { ...addressOf(job), modelId: 'another' },
        { ...addressOf(job), jobId: newJobId(job.createdAt) },
      ];
      for (const address of wrong) {
        assert.equal(await readJob(db, address), null);
        assert.equal(await readJobSummary(db, address), null);
      }
      assert.equal((await readJobSummary(db, addressOf(job)))?.id, job.id);
    });

    test('of fifty creates under one Idempotency-Key exactly one wins and the others replay it', async () => {
      const modelId = unique('model');
      const idempotency = { key: unique('key'), hash: 'same' };
      const ends = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          insertJob(index % 2 === 0 ? db : other, newJob(owner, { modelId, idempotency })),
        ),
      );
      const rows = await db.read('SELECT id FROM jobs WHERE model_id = $1', [modelId]);
      assert.equal(rows.length, 1);
      assert.deepEqual(
        ends.filter(end => end.kind !== 'inserted'),
        Array.from({ length: 49 }, () => ({ kind: 'replayed', jobId: rows[0]?.id })),
      );
    });

    test('an Idempotency-Key that is repeated with another body is refused', async () => {
      const key = unique('key');
      await wait(db, owner, { idempotency: { key, hash: 'one' } });
      const again = newJob(owner, { idempotency: { key, hash: 'two' } });
      assert.deepEqual(await insertJob(db, again), { kind: 'idempotency_key_reused' });
      assert.equal(await readJob(db, addressOf(again)), null);
    });

    test('an Idempotency-Key is one per user and model', async () => {
      const idempotency = { key: unique('key'), hash: 'h' };
      const modelId = unique('model');
      await wait(db, owner, { modelId, idempotency });
      const ends = [
        await insertJob(db, newJob(stranger, { modelId, idempotency })),
        await insertJob(db, newJob(owner, { modelId: unique('model'), idempotency })),
      ];
      assert.deepEqual(
        ends.map(end => end.kind),
        ['inserted', 'inserted'],
      );
    });

    test('an Idempotency-Key is remembered for 24 hours and not a millisecond longer', async () => {
      const idempotency = { key: unique('key'), hash: 'h' };
      const first = await wait(db, owner, { idempotency });
      const lastMoment = newJob(owner, { idempotency, createdAt: first.createdAt + 24 * hours - 1 });
      assert.deepEqual(await insertJob(db, lastMoment), { kind: 'replayed', jobId: first.id });
      const tooLate = newJob(owner, { idempotency, createdAt: first.createdAt + 24 * hours });
      assert.equal((await insertJob(db, tooLate)).kind, 'inserted');
      const replay = newJob(owner, { idempotency, createdAt: tooLate.createdAt + 1 });
      assert.deepEqual(await insertJob(db, replay), { kind: 'replayed', jobId: tooLate.id });
    });

    test('of fifty creates with one external_task_id exactly one wins and the others learn its id', async () => {
      const modelId = unique('model');
      const externalTaskId = unique('task');
      const ends = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          insertJob(index % 2 === 0 ? db : other, newJob(owner, { modelId, externalTaskId })),
        ),
      );
      const rows = await db.read('SELECT id FROM jobs WHERE model_id = $1', [modelId]);
      assert.equal(rows.length, 1);
      assert.deepEqual(
        ends.filter(end => end.kind !== 'inserted'),
        Array.from({ length: 49 }, () => ({ kind: 'external_task_id_used', jobId: rows[0]?.id })),
      );
    });

    test('an external_task_id is one per user over all models, and other users may have it too', async () => {
      const externalTaskId = unique('task');
      const job = await wait(db, owner, { externalTaskId });
      assert.deepEqual(await insertJob(db, newJob(owner, { modelId: unique('model'), externalTaskId })), {
        kind: 'external_task_id_used',
        jobId: job.id,
      });
      assert.equal((await insertJob(db, newJob(stranger, { externalTaskId }))).kind, 'inserted');
    });

    test('the files of a create are kept with it, and those of a create that lost are not', async () => {
      const externalTaskId = unique('task');
      const job = newJob(owner, { externalTaskId });
      const lost = newJob(owner, { externalTaskId });
      await insertJob(db, job, { files: [newFile(owner, { source: 'input', jobId: job.id })] });
      await insertJob(db, lost, { files: [newFile(owner, { source: 'input', jobId: lost.id })] });
      const rows = await db.read('SELECT job_id FROM files WHERE job_id IN ($1, $2)', [job.id, lost.id]);
      assert.deepEqual(
        rows.map(row => row.job_id),
        [job.id],
      );
    });

    test('a file that cannot be kept leaves no job behind', async () => {
      const job = newJob(owner);
      const blobKey = unique('blob');
      const files = [1, 2].map(() => newFile(owner, { source: 'input', jobId: job.id, blobKey }));
      await assert.rejects(insertJob(db, job, { files }), /unique/i);
      assert.equal(await readJob(db, addressOf(job)), null);
    });

    describe('a list', () => {
      let modelId: string;
      let jobs: readonly ReturnType<typeof newJob>[];
      before(async () => {
        modelId = unique('model');
        const own = [];
        for (let i = 0; i < 5; i++)
          own.push(await wait(db, owner, { modelId, externalTaskId: unique('task') }));
        jobs = own;
        await wait(db, owner, { modelId: unique('model') });
        await wait(db, stranger, { modelId });
        await claimJobs(db, { worker: newWorkerId(), modelId, limit: 1, now: later });
        await cancelJob(db, addressOf(own[3]!), later);
      });

      const list = async (wanted: Partial<JobQuery>) => {
        const query = {
          userId: owner.userId,
          modelId,
          externalTaskId: null,
          status: null,
          after: null,
          limit: 20,
        };
        const found = await listJobs(db, { ...query, ...wanted });
        return found.map(({ id }) => jobs.findIndex(job => job.id === id));
      };

      test("lists the user's jobs of the model, newest first", async () => {
        assert.deepEqual(await list({}), [4, 3, 2, 1, 0]);
      });
      test('continues after a job and ends at its limit', async () => {
        assert.deepEqual(await list({ after: jobs[3]!.id, limit: 2 }), [2, 1]);
      });
      test('lists only jobs of the requested status', async () => {
        assert.deepEqual(await list({ status: 'IN_QUEUE' }), [4, 2, 1]);
        assert.deepEqual(await list({ status: 'IN_PROGRESS' }), [0]);
        assert.deepEqual(await list({ status: 'COMPLETED' }), [3]);
      });
      test('lists only the job of the requested external_task_id, within the status and after the id', async () => {
        const { externalTaskId } = jobs[1]!;
        assert.deepEqual(await list({ externalTaskId }), [1]);
        assert.deepEqual(await list({ externalTaskId, status: 'COMPLETED' }), []);
        assert.deepEqual(await list({ externalTaskId, after: jobs[1]!.id }), []);
      });
      test('a job without events has an empty timeline', async () => {
        assert.deepEqual(await listEvents(db, jobs[0]!.id), []);
      });
    });
  });
}
