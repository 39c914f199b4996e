/** Applies the migrations of `src/store/migrations` in the order of their names; `.sqlite.sql` is for that database alone. */
import { readdir, readFile } from 'node:fs/promises';
import type { Connection } from './connection.ts';

const folder = new URL('../migrations/', import.meta.url);

/** Updates the schema, all pending migrations in one transaction; returns the names it applied. */
export async function migrate(db: Connection, now: number): Promise<readonly string[]> {
  const applied: string[] = [];
  const known = (await readdir(folder)).filter(name => isFor(db.dialect, name)).sort();
  const scripts = new Map<string, string>();
  for (const name of known) scripts.set(name, await readFile(new URL(name, folder), 'utf8'));

  await db.migrate(async tx => {
    applied.length = 0;
    await tx.script(
      'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)',
    );
    const before = new Set((await tx.read('SELECT name FROM migrations')).map(row => row.name));
    for (const [name, script] of scripts) {
      if (before.has(name)) continue;
      await tx.script(script);
      await tx.write('INSERT INTO migrations (name, applied_at) VALUES ($1, $2)', [name, now]);
      applied.push(name);
    }
  });
  return applied;
}

/** Whether a file of the folder is a migration of that database. */
export const isFor = (dialect: Connection['dialect'], name: string): boolean =>
  name.endsWith('.sql') && !name.endsWith(dialect === 'sqlite' ? '.postgres.sql' : '.sqlite.sql');
