/** Migrations: repeated, concurrent and failed. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { claimDeliveries, findDueQueues } from '../../src/store/callbacks/deliveries.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { isFor, migrate } from '../../src/store/db/migrate.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { makeOwner, rowOf, start, wait } from '../../testkit/databases/rows.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let scripts: readonly string[];
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      const names = await readdir(new URL('../../src/store/migrations/', import.meta.url));
      scripts = names.filter(name => isFor(dialect, name)).toSorted();
    });
    after(() => database.remove());

    test('a second run applies nothing and keeps every row', async () => {
      const job = await wait(db, await makeOwner(db));
      const before = await rowOf(db, job.id);
      assert.deepEqual(await migrate(db, start), []);
      assert.deepEqual(await rowOf(db, job.id), before);
    });

    test('each has a number of its own, which is its place', () => {
      const places = scripts.map((_, index) => String(index + 1).padStart(4, '0'));
      assert.deepEqual(
        scripts.map(name => name.slice(0, 4)),
        places,
      );
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

    test('callbacks that were written before there were lines are made, each by its own', async () => {
      const own = await makeDatabase(dialect);
      try {
        const other = await own.connect();
        await removeTables(other);
        const house = await readFile(
          new URL('../../src/store/migrations/0001-house.sql', import.meta.url),
          'utf8',
        );
        await other.migrate(async tx => {
          await tx.script('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)');
          await tx.script(house);
          await tx.script(`INSERT INTO migrations VALUES ('0001-house.sql', 0);
            INSERT INTO users VALUES ('u', 'ann', 'whsec_', 0);
            INSERT INTO keys (id, user_id, hash, hint, created_at) VALUES ('k', 'u', 'h', 'h', 0);
            INSERT INTO jobs (id, user_id, key_id, model_id, state, band, rank, due_at, created_at, completed_at,
              expires_at, input, error) VALUES ('j', 'u', 'k', 'm', 'cancelled', 0, 0, 0, 0, 0, 0, '{}', '{}');
            INSERT INTO deliveries (id, job_id, user_id, status, url, state, due_at, created_at)
              VALUES ('msg_1', 'j', 'u', 'COMPLETED', 'https://a.test/x', 'waiting', 0, 0)`);
        });
        assert.deepEqual(await migrate(other, start), scripts.slice(1));
        const { due } = await findDueQueues(other, { after: '', limit: 10, now: start });
        assert.deepEqual(due, ['u https://a.test/x']);
        const claimed = await claimDeliveries(other, new Map([[due[0]!, 4]]), start);
        assert.deepEqual(
          claimed.map(({ id, attempts }) => [id, attempts]),
          [['msg_1', 1]],
        );
      } finally {
        await own.remove();
      }
    });

    test('callbacks and their attempts are the same once alerts may stand beside them', async () => {
      const own = await makeDatabase(dialect);
      try {
        const other = await own.connect();
        await removeTables(other);
        const earlier = scripts.filter(name => name < '0024');
        await other.migrate(async tx => {
          await tx.script('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)');
          for (const name of earlier) {
            await tx.script(
              await readFile(new URL(`../../src/store/migrations/${name}`, import.meta.url), 'utf8'),
            );
            await tx.write('INSERT INTO migrations VALUES ($1, 0)', [name]);
          }
        });
        const job = await wait(other, await makeOwner(other));
        const write = (id: string, state: string, endedAt: number | null) =>
          other.write(
            `INSERT INTO deliveries (id, job_id, user_id, status, url, line, state, due_at, created_at, ended_at,
               tries, failures, sending_until)
             SELECT $1, id, user_id, 'COMPLETED', 'https://a.test/x', 'u a.test', $2, 5, 4, $3, 2, 1, 7
             FROM jobs WHERE id = $4`,
            [id, state, endedAt, job.id],
          );
        await write('msg_1', 'waiting', null);
        await write('msg_2', 'failed', 9);
        await other.write(
          `INSERT INTO delivery_tries VALUES ('msg_2', 1, 4, 5, 500, 'a'), ('msg_2', 2, 6, NULL, NULL, NULL)`,
        );
        // By name: a connection keeps the plan of a statement, which may not get another column.
        const ofDeliveries = `id, job_id, user_id, status, url, line, state, tries, failures, due_at, created_at,
          ended_at, sending_until`;
        const rows = async () => [
          ...(await other.read(`SELECT ${ofDeliveries} FROM deliveries ORDER BY id`)),
          ...(await other.read(
            'SELECT delivery_id, number, at, took_ms, code, answer FROM delivery_tries ORDER BY 2',
          )),
        ];
        const before = await rows();
        assert.equal(before.length, 4);
        assert.deepEqual(await migrate(other, start), scripts.slice(earlier.length));
        assert.deepEqual(await rows(), before);
        // The attempts still go with their callback, and that with its job.
        await other.write('DELETE FROM jobs');
        assert.deepEqual(await rows(), []);
      } finally {
        await own.remove();
      }
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
  // The youngest first: rows refer to older tables. Those of an index of words go with it.
  const tables = await db.read(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'job!_words!_%' ESCAPE '!' ORDER BY rowid DESC`,
  );
  for (const { name } of tables) await db.write(`DROP TABLE ${name}`);
}
