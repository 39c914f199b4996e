/** Promise I9: of a cancel and a concurrent claim, completion or expiry exactly one takes effect. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newWorkerId } from '../../src/domain/ids.ts';
import type { JobState, Lease, Outcome } from '../../src/domain/job.ts';
import { insertAttempt } from '../../src/store/attempts/attempts.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { type Cancellation, cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { expireJobs } from '../../src/store/jobs/maintenance.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import {
  deliveriesOf,
  later,
  makeOwner,
  type Owner,
  rowOf,
  unique,
  wait,
} from '../../testkit/databases/rows.ts';

const pairs = 16;
const rounds = 12;
const completed: Outcome = { kind: 'completed', result: { outputs: [], inferenceMs: 1 } };
const intent = { number: 1, provider: 'p', account: 'a', dedupeKey: 'k', billable: true };

for (const dialect of dialects) {
  describe(`I9 cancel has one winner (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    let other: Connection;
    let owner: Owner;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      other = await database.connect();
      owner = await makeOwner(db);
    });
    after(() => database.remove());

    const worker = newWorkerId();
    const waitAlone = () =>
      wait(db, owner, { modelId: unique('model'), callbackUrl: 'https://a.test/', expiresAt: later });
    const cancel = (on: Connection, { id, userId, modelId }: NewJob) =>
      cancelJob(on, { jobId: id, userId, modelId }, later);
    const claim = async (on: Connection, job: NewJob): Promise<Lease | null> => {
      const [taken] = await claimJobs(on, { worker, modelId: job.modelId, limit: 1, now: later });
      return taken ? { jobId: job.id, holder: worker, claim: taken.claim } : null;
    };

    /** Both sides of every pair start together, now one first and now the other. */
    async function race<A, B>(
      make: () => Promise<{
        readonly job: NewJob;
        readonly one: () => Promise<A>;
        readonly two: () => Promise<B>;
      }>,
      check: (job: NewJob, one: A, two: B) => Promise<void>,
    ): Promise<void> {
      for (let round = 0; round < rounds; round++) {
        const made = await Promise.all(Array.from({ length: pairs }, make));
        const ends = await Promise.all(
          made.map(async ({ one, two }, index) => {
            if (index % 2 === 0) return Promise.all([one(), two()]);
            const [second, first] = await Promise.all([two(), one()]);
            return [first, second] as const;
          }),
        );
        for (const [index, [one, two]] of ends.entries()) await check(made[index]!.job, one, two);
      }
    }

    test('I9 of a cancel and a claim one has the job, and after a cancel that won no call is made', async () => {
      await race(
        async () => {
          const job = await waitAlone();
          const takeAndSubmit = async () => {
            const lease = await claim(other, job);
            return lease && insertAttempt(other, lease, intent, later);
          };
          return { job, one: () => cancel(db, job), two: takeAndSubmit };
        },
        async (job, cancelled, submitted) => {
          const { state } = await rowOf(db, job.id);
          const attempts = await db.read('SELECT number FROM attempts WHERE job_id = $1', [job.id]);
          assert.deepEqual(
            { cancelled, submitted, state, attempts: attempts.length },
            submitted === null
              ? { cancelled: 'cancelled', submitted: null, state: 'cancelled', attempts: 0 }
              : { cancelled: 'requested', submitted: true, state: 'running', attempts: 1 },
          );
        },
      );
    });

    test('I9 of a cancel and a completion one takes effect, and the answer says which', async () => {
      await race(
        async () => {
          const job = await waitAlone();
          const lease = (await claim(db, job))!;
          return { job, one: () => cancel(db, job), two: () => settle(other, lease, completed, later) };
        },
        async (job, cancelled, settled) => {
          const row = await rowOf(db, job.id);
          assert.deepEqual([settled, row.state], [true, 'completed']);
          const wasAsked = row.cancel_requested_at !== null;
          assert.equal(cancelled, wasAsked ? 'requested' : 'already_final');
        },
      );
    });

    test('I9 a cancel that meets a released job is never answered that the job is final', async () => {
      const states: Readonly<Partial<Record<Cancellation, JobState>>> = {
        cancelled: 'cancelled',
        requested: 'available',
      };
      await race(
        async () => {
          const job = await waitAlone();
          const lease = (await claim(db, job))!;
          return {
            job,
            one: () => cancel(db, job),
            two: () => settle(other, lease, { kind: 'interrupted' }, later),
          };
        },
        async (job, cancelled, settled) => {
          const row = await rowOf(db, job.id);
          assert.deepEqual([settled, row.state], [true, states[cancelled]]);
          assert.notEqual(row.cancel_requested_at, null);
        },
      );
    });

    test('I9 of a cancel and an expiry one ends the job, with its own error and one callback', async () => {
      await race(
        async () => {
          const job = await waitAlone();
          return { job, one: () => cancel(db, job), two: () => expireJobs(other, later, 1_000) };
        },
        async (job, cancelled) => {
          const { state } = await rowOf(db, job.id);
          // One expiry ends the jobs of other pairs, too.
          assert.equal(cancelled, state === 'cancelled' ? 'cancelled' : 'already_final');
          assert.deepEqual(await deliveriesOf(db, job.id), [{ status: 'COMPLETED', state: 'waiting' }]);
        },
      );
    });

    test('I9 of two cancels one ends the job and one is answered that it is final', async () => {
      await race(
        async () => {
          const job = await waitAlone();
          return { job, one: () => cancel(db, job), two: () => cancel(other, job) };
        },
        async (job, one, two) => {
          assert.deepEqual([one, two].toSorted(), ['already_final', 'cancelled']);
          const entries = await db.read(`SELECT number FROM audit WHERE subject = $1`, [job.id]);
          assert.equal(entries.length, 1);
        },
      );
    });

    test('I9 of two cancels of a running job both are accepted, and one is on record', async () => {
      await race(
        async () => {
          const job = await waitAlone();
          await claim(db, job);
          return { job, one: () => cancel(db, job), two: () => cancel(other, job) };
        },
        async (job, one, two) => {
          assert.deepEqual([one, two], ['requested', 'requested']);
          const entries = await db.read(`SELECT number FROM audit WHERE subject = $1`, [job.id]);
          assert.equal(entries.length, 1);
        },
      );
    });
  });
}
