/** The reconciliation after a restored backup: open intents for jobs that may have been sent. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hours, minutes, seconds } from '../../src/domain/clock.ts';
import { newWorkerId } from '../../src/domain/ids.ts';
import type { Lease } from '../../src/domain/job.ts';
import {
  type AttemptAnswer,
  insertAttempt,
  readLastAttempts,
  recordAnswer,
} from '../../src/store/attempts/attempts.ts';
import { type Destination, reconcileRestoredBackup } from '../../src/store/attempts/restored-backup.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, rowOf, start, unique, wait } from '../../testkit/databases/rows.ts';

const leaseMs = 30 * seconds;
const backedUpAt = start + 30 * minutes;
const upstream: Destination = { provider: 'relay', account: 'a', billable: true, isCertain: true };

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

    const run = (
      destinationOf: (modelId: string, account: string | null) => Destination = () => upstream,
      at: number | null = backedUpAt,
    ) => reconcileRestoredBackup(db, { destinationOf, backedUpAt: at, leaseMs });
    const lease = async (job: NewJob): Promise<Lease> => {
      const holder = newWorkerId();
      const [claimed] = await claimJobs(db, { worker: holder, modelId: job.modelId, limit: 1, now: later });
      return { jobId: job.id, holder, claim: claimed!.claim };
    };
    /** A job whose attempts were answered so, released by its worker. */
    const tried = async (...given: readonly (AttemptAnswer | null)[]): Promise<NewJob> => {
      const job = await wait(db, owner, { modelId: unique('model') });
      const leased = await lease(job);
      for (const [index, answer] of given.entries()) {
        const number = index + 1;
        const intent = {
          number,
          provider: 'other',
          account: 'b',
          dedupeKey: `${job.id}-${number}`,
          billable: true,
        };
        await insertAttempt(db, leased, intent, later);
        if (answer) await recordAnswer(db, job.id, number, answer, later);
      }
      await settle(db, leased, { kind: 'retry', dueAt: later, reason: 'again' }, later);
      return job;
    };
    const last = async ({ id }: NewJob) => (await readLastAttempts(db, [id])).get(id);
    const counted = async (...jobs: readonly NewJob[]) => {
      const rows = await db.read('SELECT job_id FROM attempts');
      return jobs.map(job => rows.filter(row => row.job_id === job.id).length);
    };
    const refused: AttemptAnswer = { kind: 'refused', error: {} };

    test('a job that was never sent has an open intent afterwards, as its first attempt would have written it', async () => {
      const job = await wait(db, owner, { modelId: unique('model') });
      const { kind } = await run();
      assert.equal(kind, 'reconciled');
      const { number, provider, account: requested, dedupeKey, answer, startedAt } = (await last(job))!;
      assert.deepEqual(
        { number, provider, requested, dedupeKey, answer, startedAt },
        {
          number: 1,
          provider: 'relay',
          requested: 'a',
          dedupeKey: `${job.id}-1`,
          answer: null,
          startedAt: backedUpAt,
        },
      );
      const { account, claim, state } = await rowOf(db, job.id);
      // Attempts are read of jobs that were claimed before.
      assert.deepEqual({ account, claim, state }, { account: 'a', claim: 1, state: 'available' });
    });

    test('the uncertain submission is charged where the upstream charges', async () => {
      const job = await wait(db, owner, { modelId: unique('model') });
      await run();
      const [row] = await db.read('SELECT billable FROM attempts WHERE job_id = $1', [job.id]);
      assert.equal(row?.billable, 1);
    });

    for (const answer of [refused, { kind: 'lost' }] as const) {
      test(`a job whose last attempt was ${answer.kind} has the intent of the next one, at the same account`, async () => {
        const job = await tried(refused, answer);
        await run();
        const { number, provider, account, dedupeKey, answer: given } = (await last(job))!;
        assert.deepEqual(
          { number, provider, account, dedupeKey, given },
          { number: 3, provider: 'other', account: 'b', dedupeKey: `${job.id}-3`, given: null },
        );
        assert.equal((await rowOf(db, job.id)).account, 'b');
      });
    }

    for (const answer of [
      null,
      { kind: 'accepted', ref: { id: 'x' } },
      { kind: 'unknown', error: {} },
      { kind: 'done' },
    ] as const) {
      test(`a job whose last attempt is ${answer?.kind ?? 'open'} stays as it is`, async () => {
        const job = await tried(refused, answer);
        const before = await last(job);
        await run();
        assert.deepEqual(await last(job), before);
        assert.deepEqual(await counted(job), [2]);
      });
    }

    test('a job that a dead worker leased at another account has its intent there', async () => {
      const job = await wait(db, owner, { modelId: unique('model') });
      const limits = { id: 'c', slots: 1, rate: null };
      await claimJobs(db, {
        worker: newWorkerId(),
        modelId: job.modelId,
        limit: 1,
        now: later,
        account: limits,
      });
      const requested: [string, string | null][] = [];
      await run((modelId, account) => {
        requested.push([modelId, account]);
        return { ...upstream, account: account ?? 'a' };
      });
      assert.ok(requested.some(([modelId, account]) => modelId === job.modelId && account === 'c'));
      assert.equal((await last(job))?.account, 'c');
      assert.equal((await rowOf(db, job.id)).state, 'running');
    });

    test('a job that is final stays as it is', async () => {
      const job = await wait(db, owner, { modelId: unique('model') });
      const leased = await lease(job);
      await settle(db, leased, { kind: 'completed', result: { outputs: [], inferenceMs: 1 } }, later);
      await run();
      assert.deepEqual(await counted(job), [0]);
    });

    test('a job made after the backup, or of a backup of unknown age, was sent at its creation at the earliest', async () => {
      const young = await wait(db, owner, { createdAt: backedUpAt + 1 * hours, modelId: unique('model') });
      const { kind } = await run(() => upstream, null);
      assert.equal(kind, 'reconciled');
      assert.equal((await last(young))?.startedAt, young.createdAt);
      const old = await wait(db, owner, { modelId: unique('model') });
      await run(() => upstream, null);
      assert.equal((await last(old))?.startedAt, old.createdAt);
    });

    test('where the account is unknown, the attempt is older than any upstream remembers', async () => {
      const job = await wait(db, owner, { modelId: unique('model') });
      await run(() => ({ ...upstream, isCertain: false }));
      assert.equal((await last(job))?.startedAt, 0);
    });

    test('it returns how many, and a second time finds nothing more', async () => {
      await run();
      await wait(db, owner, { modelId: unique('model') });
      const modelId = unique('model');
      for (const _ of [1, 2]) await wait(db, owner, { modelId });
      await tried(refused);
      assert.deepEqual(await run(), { kind: 'reconciled', jobs: 4 });
      assert.deepEqual(await run(), { kind: 'reconciled', jobs: 0 });
    });

    test('nothing is touched while a worker is alive', async () => {
      const job = await wait(db, owner, { modelId: unique('model') });
      const worker = newWorkerId();
      await registerWorker(db, worker);
      assert.deepEqual(await run(), { kind: 'workers_alive' });
      assert.deepEqual(await counted(job), [0]);
      await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1', [leaseMs]);
      assert.deepEqual(await run(), { kind: 'reconciled', jobs: 1 });
    });
  });
}
