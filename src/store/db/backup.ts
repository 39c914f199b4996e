/** Backups of an SQLite database: a consistent copy with a mark that a restore can be recognised by. */
import { DatabaseSync } from 'node:sqlite';
import type { Connection, Statements } from './connection.ts';
import { integer } from './rows.ts';

const busyTimeoutMs = 5_000;

/** Copies a consistent snapshot of an SQLite database in use to a new file, and marks that as a backup. */
export function copySqlite(from: string, to: string, now: number): void {
  const source = new DatabaseSync(from, { timeout: busyTimeoutMs });
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to);
  try {
    copy.exec('PRAGMA synchronous = FULL; CREATE TABLE backup_mark (made_at BIGINT NOT NULL)');
    copy.prepare('INSERT INTO backup_mark (made_at) VALUES (?)').run(now);
  } finally {
    copy.close();
  }
}

/** The keys of all blobs that an SQLite database refers to. */
export function* listBlobKeys(path: string): Iterable<string> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    for (const row of db.prepare('SELECT blob_key FROM files').iterate()) yield String(row.blob_key);
  } finally {
    db.close();
  }
}

/** When this database was copied as a backup (epoch ms); null if it is not a backup or was reconciled. */
export async function readBackupTime(db: Connection): Promise<number | null> {
  if (db.dialect !== 'sqlite') return null;
  const marked = await db.read(`SELECT name FROM sqlite_schema WHERE name = 'backup_mark'`);
  if (marked.length === 0) return null;
  const [row] = await db.read('SELECT made_at FROM backup_mark');
  return row ? integer(row, 'made_at') : null;
}

/** After reconciling, the restored database is an ordinary one. */
export async function removeBackupMark(tx: Statements): Promise<void> {
  await tx.write('DROP TABLE IF EXISTS backup_mark');
}
