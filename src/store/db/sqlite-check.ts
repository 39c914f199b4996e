/** Start checks of an SQLite file: whether a database was lost, and whether it is corrupt. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A full check reads everything: two seconds a gigabyte from memory, twenty from a disk. Larger files are checked in part. */
const maxFullCheckBytes = 256 * 1024 * 1024;
/** Needed to authenticate anyone; small tables. */
const authTables = ['migrations', 'users', 'keys', 'workers'];
const busyTimeoutMs = 5_000;

/**
 * Null when the file contains a database, or none ever existed. Otherwise one sentence: SQLite itself would treat
 * a lost or empty file as a new database, and drop what is still in its write-ahead log.
 */
export function findDatabaseLoss(path: string, hasBlobs: boolean): string | null {
  if (bytesOf(path) > 0) return null;
  const state = statSync(path, { throwIfNoEntry: false }) ? 'is empty' : 'is missing';
  const remains =
    bytesOf(`${path}-wal`) > 0
      ? 'its write-ahead log still exists'
      : hasBlobs
        ? 'its stored files still exist'
        : null;
  if (remains === null) return null;
  return `The database file ${path} ${state}, but ${remains}: restore the data folder from a backup, or move it away to start empty.`;
}

/**
 * Null when SQLite finds nothing wrong; otherwise one sentence. A file of more than `wholeBytes` is checked in part:
 * its header, its length and the tables that authentication needs.
 */
export function findDatabaseCorruption(path: string, wholeBytes = maxFullCheckBytes): string | null {
  if (bytesOf(path) === 0) return null;
  try {
    const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
    try {
      const isWhole = bytesOf(path) + bytesOf(`${path}-wal`) <= wholeBytes;
      const found = isWhole ? quickCheck(db, '1') : quickCheckAuthTables(db);
      if (found !== null) return corruptionMessage(path, found);
      // After a failed flush the page cache may contain pages that never reached the disk, marked as clean. So the
      // whole log is written once more, into the file, before anything is built on it.
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return null;
    } finally {
      db.close();
    }
  } catch (failure) {
    if (isBusyOrFull(failure)) return null;
    return corruptionMessage(path, failure instanceof Error ? failure.message : String(failure));
  }
}

/** Checks the tables without which no request can be authenticated. */
function quickCheckAuthTables(db: DatabaseSync): string | null {
  const known = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  for (const table of authTables) {
    const found = known.some(({ name }) => name === table) ? quickCheck(db, `'${table}'`) : null;
    if (found !== null) return found;
  }
  return null;
}

/** `about`: the maximum number of findings, or the one table to check. */
function quickCheck(db: DatabaseSync, about: string): string | null {
  const [row] = db.prepare(`PRAGMA quick_check(${about})`).all();
  const found = String(row?.quick_check);
  return found === 'ok' ? null : (found.split('\n').at(-1) ?? found);
}

const corruptionMessage = (path: string, found: string): string =>
  `The database file ${path} is damaged (${found}): restore the data folder from a backup, or move it away to start empty.`;

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** SQLITE_BUSY 5 (a command runs beside us), SQLITE_FULL 13: neither means that the file is damaged. */
const isBusyOrFull = (failure: unknown): boolean =>
  failure instanceof Error &&
  'errcode' in failure &&
  typeof failure.errcode === 'number' &&
  [5, 13].includes(failure.errcode & 0xff);
