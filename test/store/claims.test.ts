/** Claiming jobs: order, fair turns, limits. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newWorkerId } from '../../src/domain/ids.ts';
import type { Job } from '../../src/domain/job.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs, findClaimableModels } from '../../src/store/jobs/claim.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import {
  fillQueue,
  later,
  makeOwner,
  newJob,
  type Owner,
  rowOf,
  unique,
  wait,
} from '../../testkit/databases/rows.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let ann: Owner;
    let bob: Owner;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      ann = await makeOwner(db);
      bob = await makeOwner(db);
    });
    after(() => database.remove());

    const worker = newWorkerId();
    const claim = (modelId: string, limit = 1, now = later) => claimJobs(db, { worker, modelId, limit, now });
    const idsOf = (jobs: readonly { readonly id: string }[]) => jobs.map(job => job.id);
    const waitMany = async (owner: Owner, count: number, modelId: string) => {
      const jobs = [];
      for (let i = 0; i < count; i++) jobs.push(await wait(db, owner, { modelId }));
      return jobs;
    };

    test('a claimed job runs: it has its holder, its claim number and its start', async () => {
      const job = await wait(db, ann, { modelId: unique('model') });
      const [claimed] = await claim(job.modelId);
      const row = await rowOf(db, job.id);
      assert.deepEqual(
        [row.state, row.holder, row.claim, row.started_at, row.completed_at],
        ['running', worker, 1, later, null],
      );
      assert.deepEqual(claimed?.input, { prompt: 'a' });
      assert.equal(claimed?.claim, 1);
    });

    test('the default priority goes before the flexible one, the older job before the younger', async () => {
      const modelId = unique('model');
      const flexible = await wait(db, ann, { modelId, priority: 1 });
      const first = await wait(db, ann, { modelId });
      const second = await wait(db, ann, { modelId });
      assert.deepEqual(idsOf(await claim(modelId, 9)), idsOf([first, second, flexible]));
    });

    test('jobs of equal rank go by id', async () => {
      const modelId = unique('model');
      const [younger, older] = [newJob(bob, { modelId }), newJob(ann, { modelId })];
      const ids = [younger.id, older.id].toSorted();
      await insertJob(db, { ...younger, id: younger.id === ids[0] ? older.id : younger.id });
      await insertJob(db, { ...older, id: older.id === ids[0] ? older.id : younger.id });
      assert.deepEqual(idsOf([...(await claim(modelId)), ...(await claim(modelId))]), ids);
    });

    test('two users take turns', async () => {
      const modelId = unique('model');
      const [a1, a2, a3, a4] = await waitMany(ann, 4, modelId);
      const [b1, b2] = await waitMany(bob, 2, modelId);
      const order = [];
      for (let i = 0; i < 6; i++) order.push(...(await claim(modelId)));
      assert.deepEqual(idsOf(order), idsOf([a1!, b1!, a2!, b2!, a3!, a4!]));
    });

    test('a user with a hundred jobs waits behind himself', async () => {
      const modelId = unique('model');
      const many = await waitMany(ann, 100, modelId);
      await claim(modelId, 40);
      const [only] = await waitMany(bob, 1, modelId);
      assert.deepEqual(idsOf(await claim(modelId, 3)), idsOf([many[40]!, only!, many[41]!]));
    });

    test('jobs of one model do not count in the line of another', async () => {
      await waitMany(ann, 5, unique('model'));
      assert.deepEqual(await insertJob(db, newJob(ann, { modelId: unique('model') })), {
        kind: 'inserted',
        rank: 0,
        ahead: 0,
      });
    });

    test('a claim takes no more than its limit, and nothing where nothing waits', async () => {
      const modelId = unique('model');
      await waitMany(ann, 3, modelId);
      assert.equal((await claim(modelId, 2)).length, 2);
      assert.equal((await claim(modelId, 2)).length, 1);
      assert.deepEqual(await claim(modelId, 2), []);
    });

    test('a job is not claimed before it is due', async () => {
      const { modelId, id, createdAt } = await wait(db, ann, { modelId: unique('model') });
      assert.deepEqual(await claim(modelId, 1, createdAt - 1), []);
      assert.deepEqual(idsOf(await claim(modelId, 1, createdAt)), [id]);
    });

    test('the claim number grows with every claim and the first start stays', async () => {
      const { modelId, id } = await wait(db, ann, { modelId: unique('model') });
      for (let number = 1; number <= 3; number++) {
        const [job] = await claim(modelId, 1, later + number);
        assert.deepEqual([job?.claim, job?.startedAt], [number, later + 1]);
        await settle(
          db,
          { jobId: id, holder: worker, claim: number },
          { kind: 'interrupted' },
          later + number,
        );
      }
    });

    test('sixteen claimers over four connections take two thousand jobs, each exactly once', async () => {
      const modelId = unique('model');
      await fillQueue(db, ann, { modelId, count: 1_000 });
      await fillQueue(db, bob, { modelId, count: 1_000 });
      const connections = await Promise.all(Array.from({ length: 4 }, () => database.connect()));
      const taken: Job[] = [];
      const claimer = async (connection: Connection) => {
        const own = newWorkerId();
        for (;;) {
          const jobs = await claimJobs(connection, { worker: own, modelId, limit: 7, now: later });
          if (jobs.length === 0) return;
          assert.deepEqual(new Set(jobs.map(job => job.holder)), new Set([own]));
          taken.push(...jobs);
        }
      };
      await Promise.all(Array.from({ length: 16 }, (_, index) => claimer(connections[index % 4]!)));
      assert.equal(new Set(idsOf(taken)).size, 2_000);
      assert.deepEqual([taken.length, new Set(taken.map(job => job.claim))], [2_000, new Set([1])]);
    });

    test('a cancel and a claim that meet never both have the job', async () => {
      const modelId = unique('model');
      const jobs = await waitMany(ann, 40, modelId);
      const other = await database.connect();
      const claims = jobs.map(() => claimJobs(other, { worker, modelId, limit: 1, now: later }));
      const cancels = jobs.map(({ id, userId }) => cancelJob(db, { jobId: id, userId, modelId }, later));
      const claimed = new Set(idsOf((await Promise.all(claims)).flat()));
      const cancelled = await Promise.all(cancels);
      const expected = jobs.map(job => (claimed.has(job.id) ? 'requested' : 'cancelled'));
      assert.deepEqual(cancelled, expected);
    });

    test('only models with a due job have work, the urgent priority first', async () => {
      const [idle, flexible, urgent, future] = ['idle', 'flexible', 'urgent', 'future'].map(unique);
      await wait(db, ann, { modelId: flexible!, priority: 1 });
      await wait(db, ann, { modelId: urgent! });
      await wait(db, ann, { modelId: future!, createdAt: later + 1 });
      assert.deepEqual(await findClaimableModels(db, [idle!, flexible!, urgent!, future!], later), [
        { modelId: urgent, priority: 0, isBound: false },
        { modelId: flexible, priority: 1, isBound: false },
      ]);
      assert.deepEqual(await findClaimableModels(db, [], later), []);
    });
  });
}
