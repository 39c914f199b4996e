/** Reads of one turn of the event loop share a snapshot on SQLite: what they see of commits. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Connection } from '../../src/store/db/connection.ts';
import { openSqlite } from '../../src/store/db/sqlite.ts';

let folder: string;
let db: Connection;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-snapshots-'));
  db = openSqlite(join(folder, 'one.db'));
  await db.migrate(tx => tx.script('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)'));
});
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const textsIn = async (connection: Connection) =>
  (await connection.read('SELECT text FROM notes ORDER BY id')).map(({ text }) => text);

test('a write is seen by the first read after it, in the turn in which others read before', async () => {
  assert.deepEqual(await textsIn(db), []);
  const writing = db.write("INSERT INTO notes (text) VALUES ('one')");
  assert.deepEqual(await textsIn(db), []);
  await writing;
  assert.deepEqual(await textsIn(db), ['one']);
});

test('a read beside a transaction sees nothing of it, and all of it once it is committed', async () => {
  let seenInside: unknown;
  await db.transaction(async tx => {
    await tx.write("INSERT INTO notes (text) VALUES ('two')");
    seenInside = await textsIn(db);
    await tx.write("INSERT INTO notes (text) VALUES ('three')");
  });
  assert.deepEqual(seenInside, ['one']);
  assert.deepEqual(await textsIn(db), ['one', 'two', 'three']);
});

test('what another connection commits is seen in the next turn', async () => {
  const other = openSqlite(join(folder, 'one.db'));
  assert.equal((await textsIn(db)).length, 3);
  await other.write("INSERT INTO notes (text) VALUES ('four')");
  await turnOfTheLoop();
  assert.deepEqual(await textsIn(db), ['one', 'two', 'three', 'four']);
  // A snapshot of this thread cannot end while the other connection waits for its end.
  await turnOfTheLoop();
  await other.close();
});

test('reads do not keep the log from being written into the file', async () => {
  await textsIn(db);
  await db.write("INSERT INTO notes (text) VALUES ('five')");
  await textsIn(db);
  await db.eraseDeleted();
  const [checkpoint] = await db.read('PRAGMA wal_checkpoint(PASSIVE)');
  assert.deepEqual(checkpoint, { busy: 0, log: 0, checkpointed: 0 });
});
