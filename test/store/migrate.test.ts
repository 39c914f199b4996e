import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Connection } from '../../src/store/connection.ts';
import { migrate } from '../../src/store/migrate.ts';
import { dialects, makeDatabase, type TestDatabase } from '../support/databases.ts';
import { makeOwner, rowOf, start, wait } from './rows.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let scripts: readonly string[];
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      const names = await readdir(new URL('../../src/store/migrations/', import.meta.url));
      scripts = names.filter(name => name.endsWith('.sql')).toSorted();
    });
    after(() => database.remove());

    test('a second run applies nothing and keeps every row', async () => {
      const job = await wait(db, await makeOwner(db));
      const before = await rowOf(db, job.id);
      assert.deepEqual(await migrate(db, start), []);
      assert.deepEqual(await rowOf(db, job.id), before);
    });

    test('two connections that migrate an empty database at once apply each script once', async () => {
      const other = await database.connect();
      await removeTables(db);
      const applied = await Promise.all([migrate(db, start), migrate(other, start)]);
      assert.deepEqual(applied.flat(), scripts);
      const rows = await db.read('SELECT name FROM migrations ORDER BY name');
      assert.deepEqual(
        rows.map(row => row.name),
        scripts,
      );
    });

    test('a migration that fails leaves nothing behind', async () => {
      const failing = db.migrate(async tx => {
        await tx.script('CREATE TABLE half_made (id TEXT PRIMARY KEY)');
        await tx.script('CREATE TABLE half_made (id TEXT PRIMARY KEY)');
      });
      await assert.rejects(failing, /already exists/);
      await assert.rejects(db.read('SELECT id FROM half_made'), /half_made/);
    });
  });
}

async function removeTables(db: Connection): Promise<void> {
  if (db.dialect === 'postgres') {
    await db.write('DROP SCHEMA public CASCADE');
    await db.write('CREATE SCHEMA public');
    return;
  }
  // The youngest first: rows refer to older tables.
  const tables = await db.read(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid DESC`);
  for (const { name } of tables) await db.write(`DROP TABLE ${name}`);
}
