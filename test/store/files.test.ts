/** Files: rows, lookups, expiry, lists. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hours, minutes, seconds } from '../../src/domain/clock.ts';
import type { StoredFile } from '../../src/domain/file.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import {
  deleteFile,
  findFilesToRemove,
  findReferencedBlobs,
  insertFiles,
  insertUpload,
  listUploads,
  readFile,
  readFileOfUser,
  removeFileRows,
  writeFacts,
} from '../../src/store/files/files.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { makeOwner, newFile, newJob, type Owner, start, unique } from '../../testkit/databases/rows.ts';

const wide = { perKey: 1_000_000_000, perUser: 1_000_000_000 };

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

    const keep = async (wanted: Partial<StoredFile> = {}, whose = owner) => {
      const file = newFile(whose, wanted);
      await insertFiles(db, [file]);
      return file;
    };

    test('a file comes back as it was kept', async () => {
      const file = await keep({ fileName: 'ünï "q".png', purpose: 'vision', bytes: 41_943_040 });
      assert.deepEqual(await readFileOfUser(db, file.id, owner.userId, start), file);
      assert.deepEqual(await readFile(db, file.id, start), file);
    });

    test('the facts of its bytes come back as they were kept, and are written once', async () => {
      const image = { width: 640, height: 480 };
      const facts = { mimeType: 'image/png', bytes: 7, image };
      const known = await keep({ facts });
      assert.deepEqual(await readFile(db, known.id, start), known);
      const old = await keep({ facts: null });
      await writeFacts(db, old.id, 'unreadable');
      await writeFacts(db, old.id, facts);
      assert.deepEqual(await readFile(db, old.id, start), { ...old, facts: 'unreadable' });
    });

    test('a file of another user is not found, but by its signed address it is', async () => {
      const file = await keep();
      const { userId } = await makeOwner(db);
      assert.equal(await readFileOfUser(db, file.id, userId, start), null);
      assert.deepEqual(await readFile(db, file.id, start), file);
    });

    test('a file is there until its last millisecond', async () => {
      const file = await keep();
      assert.deepEqual(await readFileOfUser(db, file.id, owner.userId, file.expiresAt - 1), file);
      assert.equal(await readFileOfUser(db, file.id, owner.userId, file.expiresAt), null);
      assert.equal(await readFile(db, file.id, file.expiresAt), null);
    });

    test('a deleted file is not found, and is deleted once and by its user alone', async () => {
      const file = await keep();
      const { userId } = await makeOwner(db);
      assert.equal(await deleteFile(db, file.id, userId, start), false);
      assert.equal(await deleteFile(db, file.id, owner.userId, start), true);
      assert.equal(await deleteFile(db, file.id, owner.userId, start), false);
      assert.equal(await readFile(db, file.id, start), null);
    });

    test('two files never share a blob', async () => {
      const file = await keep();
      await assert.rejects(keep({ blobKey: file.blobKey }), /unique/i);
    });

    describe('an impossible file is refused by its table:', () => {
      const impossible: Readonly<Record<string, Partial<StoredFile>>> = {
        'a width without a height': { height: null },
        'less than no bytes': { bytes: -1 },
        'an output of no job': { source: 'output' },
        'an upload of a job': { jobId: newJob({ userId: '', keyId: '' } as never).id },
      };
      for (const [what, wanted] of Object.entries(impossible)) {
        test(what, () => assert.rejects(keep(wanted), /constraint/i));
      }
    });

    describe('a list of uploads', () => {
      let whose: Owner;
      let files: readonly StoredFile[];
      before(async () => {
        whose = await makeOwner(db);
        const kept = [];
        for (const age of [0, 1, 1, 3]) kept.push(await keep({ createdAt: start + age }, whose));
        // Files of the same millisecond are in the order of their ids.
        files = kept.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
        await keep({}, await makeOwner(db));
        await keep({ source: 'output', jobId: newJob(whose).id }, whose);
        await keep({ expiresAt: start + 3 }, whose);
        await deleteFile(db, (await keep({}, whose)).id, whose.userId, start);
      });
      const list = (order: 'asc' | 'desc', after: StoredFile | null = null, limit = 20) =>
        listUploads(db, { userId: whose.userId, now: start + 3, limit, order, after });

      test("lists the user's live uploads by age", async () => {
        assert.deepEqual(await list('asc'), files);
        assert.deepEqual(await list('desc'), files.toReversed());
      });
      test('continues after a file in the same order and ends at its limit', async () => {
        assert.deepEqual(await list('asc', files[1]!, 1), [files[2]]);
        assert.deepEqual(await list('desc', files[2]!), [files[1], files[0]]);
      });
    });

    describe('the upload rate', () => {
      test('accepts exactly ten of thirty uploads that arrive at once over two connections', async () => {
        const whose = await makeOwner(db);
        const other = await database.connect();
        const ends = await Promise.all(
          Array.from({ length: 30 }, (_, index) =>
            insertUpload(index % 2 === 0 ? db : other, newFile(whose, { createdAt: start + index }), wide),
          ),
        );
        const count = (kind: string) => ends.filter(end => end.kind === kind).length;
        assert.deepEqual([count('inserted'), count('rate_exceeded')], [10, 20]);
        const rows = await db.read('SELECT id FROM files WHERE user_id = $1', [whose.userId]);
        assert.equal(rows.length, 10);
      });
      test('accepts ten in any sixty seconds and returns the time of the next', async () => {
        const whose = await makeOwner(db);
        const upload = (at: number) => insertUpload(db, newFile(whose, { createdAt: start + at }), wide);
        for (let i = 0; i < 9; i++) await upload(i * seconds);
        assert.deepEqual(await upload(59 * seconds), { kind: 'inserted' });
        assert.deepEqual(await upload(59_500), { kind: 'rate_exceeded', waitMs: 500 });
        assert.deepEqual(await upload(60 * seconds - 1), { kind: 'rate_exceeded', waitMs: 1 });
        assert.deepEqual(await upload(60 * seconds), { kind: 'inserted' });
        assert.deepEqual(await upload(60 * seconds), { kind: 'rate_exceeded', waitMs: 1 * seconds });
      });
      test('counts deleted uploads, and not the files of jobs or of other users', async () => {
        const whose = await makeOwner(db);
        const uploads = Array.from({ length: 9 }, () => newFile(whose));
        for (const file of uploads) await insertUpload(db, file, wide);
        await deleteFile(db, uploads[0]!.id, whose.userId, start);
        await keep({ source: 'input', jobId: newJob(whose).id }, whose);
        await insertUpload(db, newFile(await makeOwner(db)), wide);
        assert.deepEqual(await insertUpload(db, newFile(whose), wide), { kind: 'inserted' });
        assert.deepEqual(await insertUpload(db, newFile(whose), wide), {
          kind: 'rate_exceeded',
          waitMs: 60 * seconds,
        });
      });
    });

    describe('removal', () => {
      const now = start + 100 * hours;

      test('finds ended files and files deleted two minutes ago, and no others', async () => {
        await removeFileRows(
          db,
          (await findFilesToRemove(db, now, 500)).map(file => file.id),
        );
        const expiresAt = now + 1 * hours;
        const ended = await keep({ expiresAt: now });
        const [deleted, justDeleted] = [await keep({ expiresAt }), await keep({ expiresAt })];
        await deleteFile(db, deleted.id, owner.userId, now - 2 * minutes);
        await deleteFile(db, justDeleted.id, owner.userId, now - 2 * minutes + 1);
        await keep({ expiresAt: now + 1 });
        const found = await findFilesToRemove(db, now, 10);
        assert.deepEqual(found.map(file => file.id).toSorted(), [ended.id, deleted.id].toSorted());
        assert.equal((await findFilesToRemove(db, now, 1)).length, 1);
      });
      test('removes the rows that are named, and nothing when none is', async () => {
        const [gone, kept] = [await keep(), await keep()];
        await removeFileRows(db, [gone.id]);
        await removeFileRows(db, []);
        assert.equal(await readFile(db, gone.id, start), null);
        assert.deepEqual(await readFile(db, kept.id, start), kept);
      });
      test('knows which blobs belong to a file', async () => {
        const file = await keep();
        assert.deepEqual(
          await findReferencedBlobs(db, [unique('blob'), file.blobKey]),
          new Set([file.blobKey]),
        );
        assert.deepEqual(await findReferencedBlobs(db, []), new Set());
      });
    });
  });
}
