/** Sums of stored bytes and storage quotas under parallel changes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hours, minutes } from '../../src/domain/clock.ts';
import type { StoredFile } from '../../src/domain/file.ts';
import { newWorkerId } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import {
  deleteFile,
  findFilesToRemove,
  insertFiles,
  insertUpload,
  removeFileRows,
} from '../../src/store/files/files.ts';
import { findExceededStorage, readStoredBytes } from '../../src/store/files/storage-usage.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import {
  later,
  makeOwner,
  newFile,
  newJob,
  type Owner,
  start,
  unique,
} from '../../testkit/databases/rows.ts';

const wide = { perKey: 1_000_000, perUser: 1_000_000 };

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let other: Connection;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      other = await database.connect();
    });
    after(() => database.remove());

    /** The stored sums of a user, and the sums of the rows of the files. */
    async function sumsOf({ userId }: Owner) {
      const counted = await db.read('SELECT SUM(bytes) AS bytes FROM stored_bytes WHERE user_id = $1', [
        userId,
      ]);
      const summed = await db.read(
        'SELECT SUM(bytes) AS bytes FROM files WHERE user_id = $1 AND deleted_at IS NULL',
        [userId],
      );
      return [Number(counted[0]?.bytes), Number(summed[0]?.bytes)];
    }

    /** Both are equal. */
    async function assertStored(owner: Owner, bytes: number): Promise<void> {
      assert.deepEqual(await sumsOf(owner), [bytes, bytes]);
    }

    const secondKeyOf = async ({ userId }: Owner): Promise<Owner> => {
      const [row] = await db.read('SELECT name FROM users WHERE id = $1', [userId]);
      const wanted = { userName: String(row?.name), name: null, models: null, expiresAt: null };
      const { key } = await createKey(db, wanted, start);
      return { userId, keyId: key.id };
    };

    const input = (owner: Owner, jobId: StoredFile['jobId'], bytes: number) =>
      newFile(owner, { source: 'input', jobId, bytes });

    test('the sum follows every way in which files come and go', async () => {
      const owner = await makeOwner(db);
      const uploads = [1, 20, 300].map(bytes => newFile(owner, { bytes, expiresAt: later }));
      for (const file of uploads) await insertUpload(db, file, wide);
      await assertStored(owner, 321);

      const modelId = unique('model');
      const job = newJob(owner, { modelId });
      await insertJob(db, job, { files: [input(owner, job.id, 4_000), input(owner, job.id, 50_000)] });
      await assertStored(owner, 54_321);

      const worker = newWorkerId();
      await registerWorker(db, worker);
      const [leased] = await claimJobs(db, { worker, modelId, limit: 1, now: later });
      const result = { outputs: [], inferenceMs: 1 };
      const lease = { jobId: job.id, holder: worker, claim: leased!.claim };
      const outputs = [1, 2].map(() => newFile(owner, { source: 'output', jobId: job.id, bytes: 600_000 }));
      assert.equal(await settle(db, lease, { kind: 'completed', result }, later, outputs), true);
      await assertStored(owner, 1_254_321);
      // A lease that is lost counts nothing.
      assert.equal(
        await settle(db, lease, { kind: 'completed', result }, later, [newFile(owner, { bytes: 9 })]),
        false,
      );
      await assertStored(owner, 1_254_321);

      assert.equal(await deleteFile(db, uploads[2]!.id, owner.userId, start), true);
      assert.equal(await deleteFile(db, uploads[2]!.id, owner.userId, start), false);
      await assertStored(owner, 1_254_021);
      const gone = await findFilesToRemove(db, later + 5 * minutes, 100);
      await removeFileRows(
        db,
        gone.map(file => file.id),
      );
      await removeFileRows(
        db,
        gone.map(file => file.id),
      );
      await assertStored(owner, 0);
    });

    test('the sum is right after a hundred changes at once over two connections', async () => {
      const owner = await makeOwner(db);
      const second = await secondKeyOf(owner);
      const files = Array.from({ length: 100 }, (_, index) =>
        newFile(index % 2 ? owner : second, { source: 'output', jobId: newJob(owner).id, bytes: index + 1 }),
      );
      await Promise.all(
        files.map((file, index) =>
          (index % 3 ? db : other).transaction(async tx => {
            await insertFiles(tx, [file]);
          }),
        ),
      );
      await assertStored(owner, 5_050);
      await Promise.all([
        ...files.slice(0, 20).map(file => deleteFile(other, file.id, owner.userId, start)),
        ...[db, other].map(each =>
          removeFileRows(
            each,
            files.slice(10, 50).map(file => file.id),
          ),
        ),
      ]);
      const [counted, summed] = await sumsOf(owner);
      assert.equal(counted, summed);
      assert.equal(counted, 5_050 - (50 * 51) / 2);
    });

    test('of ten uploads at once over two connections and two keys as many are stored as the quota allows', async () => {
      const owner = await makeOwner(db);
      const second = await secondKeyOf(owner);
      const bounds = { perKey: 1_000, perUser: 35 };
      const ends = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          insertUpload(index % 2 ? db : other, newFile(index % 3 ? owner : second, { bytes: 10 }), bounds),
        ),
      );
      assert.equal(ends.filter(({ kind }) => kind === 'inserted').length, 3);
      assert.deepEqual(
        ends.find(({ kind }) => kind !== 'inserted'),
        { kind: 'storage_used', owner: 'user', limit: 35, bytes: 30 },
      );
      await assertStored(owner, 30);
    });

    test('of ten creations with media as many are stored as the quota allows, and a replay is never refused', async () => {
      const owner = await makeOwner(db);
      const storage = { perKey: 35, perUser: 1_000 };
      const modelId = unique('model');
      const make = (key: string | null, index = 0) => {
        const idempotency = key === null ? null : { key, hash: 'h' };
        const job = newJob(owner, { modelId, idempotency });
        return insertJob(index % 2 ? db : other, job, { files: [input(owner, job.id, 10)], storage });
      };
      const first = await make('first');
      assert.equal(first.kind, 'inserted');
      const ends = await Promise.all(Array.from({ length: 10 }, (_, index) => make(null, index)));
      assert.equal(ends.filter(({ kind }) => kind === 'inserted').length, 2);
      assert.deepEqual(
        ends.find(({ kind }) => kind !== 'inserted'),
        { kind: 'storage_used', owner: 'key', limit: 35, bytes: 30 },
      );
      assert.equal((await make('first')).kind, 'replayed');
      // A job without media needs no space.
      assert.equal((await insertJob(db, newJob(owner, { modelId }), { storage })).kind, 'inserted');
      await assertStored(owner, 30);
    });

    test('a key is bound by its own files, and its user by those of all keys', async () => {
      const owner = await makeOwner(db);
      const second = await secondKeyOf(owner);
      await insertFiles(db, [newFile(owner, { bytes: 30, expiresAt: later + 1 * hours })]);
      const bounds = { perKey: 40, perUser: 60 };
      assert.equal(await findExceededStorage(db, owner, 10, bounds), null);
      assert.deepEqual(await findExceededStorage(db, owner, 11, bounds), {
        kind: 'storage_used',
        owner: 'key',
        limit: 40,
        bytes: 30,
      });
      assert.equal(await findExceededStorage(db, second, 30, bounds), null);
      assert.deepEqual(await findExceededStorage(db, second, 31, bounds), {
        kind: 'storage_used',
        owner: 'user',
        limit: 60,
        bytes: 30,
      });
      const [row] = await db.read('SELECT SUM(bytes) AS bytes FROM stored_bytes');
      assert.equal(await readStoredBytes(db), Number(row?.bytes));
    });
  });
}
