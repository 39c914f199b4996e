/** Slots, rates and blocks of an account. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import type { Job } from '../../src/domain/job.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { type ClaimOptions, claimJobs } from '../../src/store/jobs/claim.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/orphaned-jobs.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { blockAccount, pauseAccount } from '../../src/store/jobs/slots.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, unique, wait } from '../../testkit/databases/rows.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let other: Connection;
    let owner: Owner;
    let worker: WorkerId;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      other = await database.connect();
      owner = await makeOwner(db);
      worker = newWorkerId();
      await registerWorker(db, worker);
    });
    after(() => database.remove());

    const waitMany = async (jobs: number, of: Owner = owner) => {
      const modelId = unique('model');
      for (let made = 0; made < jobs; made++) await wait(db, of, { modelId });
      return modelId;
    };
    const claim = (wanted: Partial<ClaimOptions> & Pick<ClaimOptions, 'modelId'>, on = db) =>
      claimJobs(on, { worker, limit: 64, now: later, ...wanted });
    const leaseOf = (job: Pick<Job, 'id' | 'claim'>) => ({
      jobId: job.id,
      holder: worker,
      claim: job.claim,
    });
    const cancelled = { kind: 'cancelled' } as const;

    test('an account never has more jobs than slots, whatever worker claims on whatever connection', async () => {
      const modelId = await waitMany(20);
      const account = { id: unique('account'), slots: 7, rate: null };
      const claims = Array.from({ length: 16 }, (_, index) =>
        claim({ modelId, account, limit: 3 }, index % 2 ? db : other),
      );
      const jobs = (await Promise.all(claims)).flat();
      assert.equal(jobs.length, 7);
      assert.equal(new Set(jobs.map(job => job.id)).size, 7);
      assert.deepEqual(await claim({ modelId, account }), []);
    });

    test('an ended job gives its slot back, a job of a dead worker too', async () => {
      const modelId = await waitMany(4);
      const account = { id: unique('account'), slots: 2, rate: null };
      const [one, two] = await claim({ modelId, account });
      assert.ok(one && two);
      assert.equal(await settle(db, leaseOf(one), cancelled, later), true);
      assert.equal((await claim({ modelId, account })).length, 1);
      await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1 WHERE id = $2', [
        1 * minutes,
        worker,
      ]);
      await requeueOrphanedJobs(db, 30 * seconds, later);
      worker = newWorkerId();
      await registerWorker(db, worker);
      assert.equal((await claim({ modelId, account })).length, 2);
    });

    test('a rate applies over all processes: a burst, then one each spacing', async () => {
      const modelId = await waitMany(9);
      const account = { id: unique('account'), slots: 100, rate: { perSecond: 2, burst: 3 } };
      const both = await Promise.all([claim({ modelId, account }), claim({ modelId, account }, other)]);
      assert.equal(both.flat().length, 3);
      const after = async (ms: number) => (await claim({ modelId, account, now: later + ms })).length;
      assert.deepEqual(
        [await after(499), await after(500), await after(999), await after(2_000)],
        [0, 1, 0, 3],
      );
    });

    test('a blocked account gets nothing until the block ends; a shorter block shortens none', async () => {
      const modelId = await waitMany(1);
      const account = { id: unique('account'), slots: 1, rate: null };
      await blockAccount(db, account.id, later + 10 * seconds, 'down');
      await blockAccount(db, account.id, later + 2 * seconds, 'a pause');
      assert.deepEqual(await claim({ modelId, account, now: later + 9_999 }), []);
      assert.equal((await claim({ modelId, account, now: later + 10 * seconds })).length, 1);
    });

    test('a paused account starts no new jobs until it is resumed; its in-flight jobs continue', async () => {
      const modelId = await waitMany(2);
      const account = { id: unique('account'), slots: 2, rate: null };
      const by = { actor: 'operator', now: later } as const;
      const [begun] = await claim({ modelId, account, limit: 1 });
      await pauseAccount(db, account.id, true, by);
      await db.write(`UPDATE jobs SET state = 'available', holder = NULL WHERE id = $1`, [begun!.id]);
      assert.deepEqual(
        (await claim({ modelId, account })).map(({ id }) => id),
        [begun!.id],
      );
      assert.deepEqual(await claim({ modelId, account }), []);
      await pauseAccount(db, account.id, false, by);
      assert.equal((await claim({ modelId, account })).length, 1);
    });

    test('a job stays with the account where its attempt may go on, and leaves it after a refusal', async () => {
      const modelId = await waitMany(1);
      const [first, second] = [unique('account'), unique('account')].map(id => ({
        id,
        slots: 1,
        rate: null,
      }));
      const retry = { kind: 'retry', dueAt: later, reason: 'again' } as const;
      const open = (jobId: string, number: number, answer: string) =>
        db.write(
          `INSERT INTO attempts (job_id, number, provider, account, dedupe_key, started_at, answered_at, answer)
           VALUES ($1, $2, 'relay', 'a', 'k', $3, $3, $4)`,
          [jobId, number, later, answer],
        );
      const [job] = await claim({ modelId, account: first! });
      assert.ok(job);
      await open(job.id, 1, 'unknown');
      await settle(db, leaseOf(job), retry, later);
      assert.deepEqual(await claim({ modelId, account: second! }), []);
      const [again] = await claim({ modelId, account: first! });
      assert.ok(again);
      await db.write(`UPDATE attempts SET answer = 'refused' WHERE job_id = $1`, [job.id]);
      await settle(db, leaseOf(again), retry, later);
      assert.equal((await claim({ modelId, account: second! }))[0]?.id, job.id);
    });

    test('a key never has more running than it may, and another key is not delayed', async () => {
      const [busy, calm] = [await makeOwner(db), await makeOwner(db)];
      const modelId = await waitMany(6, busy);
      await wait(db, calm, { modelId });
      const claims = Array.from({ length: 12 }, (_, index) =>
        claim({ modelId, perKey: 2 }, index % 2 ? db : other),
      );
      const jobs = (await Promise.all(claims)).flat();
      const keys = jobs.map(job => job.keyId).toSorted();
      assert.deepEqual(keys, [busy.keyId, busy.keyId, calm.keyId].toSorted());
      const [running] = jobs.filter(job => job.keyId === busy.keyId);
      await settle(db, leaseOf(running!), cancelled, later);
      assert.equal((await claim({ modelId, perKey: 2 })).length, 1);
      assert.equal((await claim({ modelId, perKey: 2 })).length, 0);
    });
  });
}
