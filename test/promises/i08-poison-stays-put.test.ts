/** Promise I8: a job that crashes its process fails after three crashes and harms no other. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import type { Outcome } from '../../src/domain/job.ts';
import { insertAttempt, recordAnswer } from '../../src/store/attempts/attempts.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { markFetchingOutputs } from '../../src/store/jobs/leased-job.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/orphaned-jobs.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker, removeWorker } from '../../src/store/jobs/workers.ts';
import { speech } from '../../testkit/clients/worker-jobs.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, rowOf, unique, wait } from '../../testkit/databases/rows.ts';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { dieAt } from '../../testkit/gateway/die-at.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { serve } from '../../testkit/gateway/program.ts';

const leaseMs = 30_000;
const completed: Outcome = { kind: 'completed', result: { outputs: [], inferenceMs: 1 } };

for (const dialect of dialects) {
  describe(`I8 poison stays put (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
    });
    after(() => database.remove());

    test('I8 one poisoned job among 200 takes down three workers and no more, and 199 complete', async () => {
      const owner = await makeOwner(db);
      const modelId = unique('model');
      const jobs = [];
      for (let count = 0; count < 200; count++) jobs.push(await wait(db, owner, { modelId }));
      const poison = jobs[77]!.id;
      let deaths = 0;
      /** A worker with one slot: null once no job waits, itself where it died while it ran the poison. */
      const work = async (): Promise<WorkerId | null> => {
        const worker = newWorkerId();
        await registerWorker(db, worker);
        for (;;) {
          const [job] = await claimJobs(db, { worker, modelId, limit: 1, now: later });
          if (!job) return null;
          if (job.id === poison) {
            deaths++;
            await removeWorker(db, worker);
            return worker;
          }
          const lease = { jobId: job.id, holder: worker, claim: job.claim };
          assert.equal(await settle(db, lease, completed, later), true);
        }
      };
      /** A job that a claim looked at in that moment is passed over, and taken back by the next look. */
      const takeBack = (dead: WorkerId) =>
        until(async () => {
          await requeueOrphanedJobs(db, leaseMs, later);
          return (await db.read('SELECT id FROM jobs WHERE holder = $1', [dead])).length === 0;
        }, 'the poison to be taken back');
      const crew = async () => {
        for (let dead = await work(); dead !== null; dead = await work()) await takeBack(dead);
      };
      // Four workers stop when the queue is empty; the one that died last may leave the poison to the next.
      for (let round = 0; round < 4; round++) await Promise.all([crew(), crew(), crew(), crew()]);

      assert.equal(deaths, 3);
      const { state, deaths: counted, error } = await rowOf(db, poison);
      assert.deepEqual([state, counted], ['failed', 3]);
      assert.equal(JSON.parse(String(error)).code, 'internal_error');
      const rows = await db.read('SELECT state, deaths FROM jobs WHERE model_id = $1 AND id <> $2', [
        modelId,
        poison,
      ]);
      assert.equal(rows.length, 199);
      assert.deepEqual(new Set(rows.map(row => `${row.state} ${row.deaths}`)), new Set(['completed 0']));
    });
  });
}

for (const dialect of dialects) {
  describe(`I8 workers with many jobs (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
    });
    after(() => database.remove());

    for (const billable of [true, false])
      test(`I8 a crash is not counted against jobs that ${billable ? 'an upstream' : 'a render'} works on, unless their result is being fetched, or was the answer`, () =>
        whoIsBlamed(billable));

    async function whoIsBlamed(billable: boolean): Promise<void> {
      const owner = await makeOwner(db);
      const modelId = unique('model');
      const account = { id: 'studio', slots: 100, rate: null };
      for (let count = 0; count < 20; count++) await wait(db, owner, { modelId });
      const worker = newWorkerId();
      await registerWorker(db, worker);
      const jobs = await claimJobs(db, { worker, modelId, limit: 20, now: later, account });
      const [collecting, answered, ...waiting] = jobs;
      const holdOf = (job: (typeof jobs)[number]) => ({ jobId: job.id, holder: worker, claim: job.claim });
      for (const job of jobs) {
        const intent = { number: 1, provider: 'relay', account: 'studio', dedupeKey: `${job.id}-1` };
        await insertAttempt(db, holdOf(job), { ...intent, billable }, later);
        const accepted = { kind: 'accepted', ref: { id: 'up' } } as const;
        await recordAnswer(db, job.id, 1, job === answered ? { kind: 'done' } : accepted, later);
      }
      await markFetchingOutputs(db, holdOf(collecting!));
      await removeWorker(db, worker);
      const { requeued, failed } = await requeueOrphanedJobs(db, leaseMs, later);
      assert.deepEqual([requeued.length, failed.length], [20, 0]);
      for (const job of [collecting!, answered!]) assert.equal((await rowOf(db, job.id)).deaths, 1);
      for (const job of waiting) assert.equal((await rowOf(db, job.id)).deaths, 0);
    }

    test('I8 one poisoned job among 200 of workers with eight slots takes only itself down', async () => {
      const owner = await makeOwner(db);
      const modelId = unique('model');
      const jobs = [];
      for (let count = 0; count < 200; count++) jobs.push(await wait(db, owner, { modelId }));
      const poison = jobs[77]!.id;
      let deaths = 0;
      for (;;) {
        const worker = newWorkerId();
        await registerWorker(db, worker);
        const claim = { worker, modelId, now: later };
        const suspects = await claimJobs(db, { ...claim, limit: 1, only: 'suspects' });
        const clean = await claimJobs(db, { ...claim, limit: 8 - suspects.length, only: 'clean' });
        const leased = [...suspects, ...clean];
        if (leased.length === 0) break;
        if (leased.some(job => job.id === poison)) {
          deaths++;
          await removeWorker(db, worker);
          await requeueOrphanedJobs(db, leaseMs, later);
          continue;
        }
        for (const job of leased) {
          const lease = { jobId: job.id, holder: worker, claim: job.claim };
          assert.equal(await settle(db, lease, completed, later), true);
        }
      }
      assert.equal(deaths, 3);
      const rows = await db.read('SELECT id, state FROM jobs WHERE model_id = $1', [modelId]);
      const failed = rows.filter(row => row.state !== 'completed').map(row => row.id);
      assert.deepEqual(failed, [poison]);
    });
  });
}

describe('I8 a process that dies', () => {
  let folder: string;
  let env: Readonly<Record<string, string>>;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-poison-'));
    env = { ATELIER_DATA_DIR: folder, ATELIER_LOCAL_CONCURRENCY: '1', ATELIER_LOG_LEVEL: 'error' };
    key = await createKeyOfAnn(env);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const make = async (url: string) => {
    const made = await ask(url, 'POST', speech, { key, body: { text: 'Hello.' } });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return String(made.body.request_id);
  };
  const endOf = (url: string, id: string) =>
    until(async () => {
      const { body } = await ask(url, 'GET', `${speech}/requests/${id}/response`, { key });
      return body.status === 'COMPLETED' && { error: body.error?.code ?? null };
    }, `the end of job ${id}`);

  // The write after the step that a poison crashes in: its outputs were fetched and stored.
  for (const [what, words] of [
    ['while its media are read', 'INSERT INTO attempts'],
    ['while its result is stored', "state = 'completed'"],
  ] as const) {
    test(`I8 three times under one job, ${what}, closes that job, and those behind it complete`, async () => {
      const api = await serve({ env, flags: ['--role', 'api'] });
      const poison = await make(api.url);
      const good = [];
      for (let count = 0; count < 6; count++) good.push(await make(api.url));
      await api.end('SIGTERM');
      for (let death = 1; death <= 3; death++) await dieAt({ side: 'before', words, value: poison }, env);
      const life = await serve({ env });
      try {
        assert.deepEqual(await endOf(life.url, poison), { error: 'internal_error' });
        for (const id of good) assert.deepEqual(await endOf(life.url, id), { error: null });
      } finally {
        await life.end('SIGTERM');
      }
    });
  }
});
