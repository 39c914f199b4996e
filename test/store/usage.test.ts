/** Usage of jobs, and jobs that are bound to accounts. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newWorkerId } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { pruneUsage } from '../../src/store/jobs/maintenance.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, unique, wait } from '../../testkit/databases/rows.ts';

const worker = newWorkerId();
const result = { outputs: [], inferenceMs: 1 };

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let owner: Owner;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      owner = await makeOwner(db);
      await registerWorker(db, worker);
    });
    after(() => database.remove());

    const claim = (modelId: string, id: string) =>
      claimJobs(db, { worker, modelId, limit: 1, now: later, account: { id, slots: 9, rate: null } });

    test('a job that is bound to some accounts goes to those alone', async () => {
      const modelId = unique('model');
      const { id } = await wait(db, owner, { modelId, accounts: ['fal_main', 'fal-2'] });
      for (const other of ['fal', 'fal-main', 'main', 'falxmain']) {
        assert.deepEqual(await claim(modelId, other), []);
      }
      assert.deepEqual(
        (await claim(modelId, 'fal_main')).map(job => job.id),
        [id],
      );
    });

    test('a job behind one that is for others is not delayed', async () => {
      const modelId = unique('model');
      await wait(db, owner, { modelId, accounts: ['two'] });
      const { id } = await wait(db, owner, { modelId });
      assert.deepEqual(
        (await claim(modelId, 'one')).map(job => job.id),
        [id],
      );
    });

    test('what a job used is written with its end, and not without', async () => {
      const modelId = unique('model');
      const { id } = await wait(db, owner, { modelId });
      const [job] = await claim(modelId, 'studio');
      assert.ok(job);
      const usage = [
        { unit: 'credit', quantity: 2.5, basis: 'reported' },
        { unit: 'second', quantity: 4, basis: 'computed' },
      ] as const;
      const outcome = { kind: 'completed', result, usage } as const;
      const lost = { jobId: id, holder: worker, claim: job.claim + 1 };
      assert.equal(await settle(db, lost, outcome, later), false);
      assert.deepEqual(await linesOf(id), []);
      assert.equal(await settle(db, { ...lost, claim: job.claim }, outcome, later), true);
      assert.deepEqual(await linesOf(id), [
        [0, owner.userId, modelId, 'studio', 'credit', 2.5, 'reported'],
        [1, owner.userId, modelId, 'studio', 'second', 4, 'computed'],
      ]);
    });

    test('lines of usage are deleted by their age, up to a limit', async () => {
      const modelId = unique('model');
      const { id } = await wait(db, owner, { modelId });
      const [job] = await claim(modelId, 'studio');
      const line = { unit: 'second', quantity: 1, basis: 'computed' } as const;
      const outcome = { kind: 'completed', result, usage: [line, line] } as const;
      await settle(db, { jobId: id, holder: worker, claim: job!.claim }, outcome, later - 1000);
      assert.deepEqual([await pruneUsage(db, later - 1001, 9), (await linesOf(id)).length], [0, 2]);
      assert.deepEqual([await pruneUsage(db, later - 1000, 1), (await linesOf(id)).length], [1, 1]);
      assert.deepEqual([await pruneUsage(db, later - 1000, 9), (await linesOf(id)).length], [1, 0]);
    });

    const linesOf = async (id: string) =>
      (await db.read('SELECT * FROM usage_lines WHERE job_id = $1 ORDER BY line', [id])).map(row => [
        Number(row.line),
        row.user_id,
        row.model_id,
        row.account,
        row.unit,
        Number(row.quantity),
        row.basis,
      ]);
  });
}
