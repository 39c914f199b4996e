import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Reading everything costs about two seconds a gigabyte from memory, and twenty from a disk: up to here a start pays that. */
const maxFullCheckBytes = 256 * 1024 * 1024;
/** Without these nobody comes in. They stay small. */
const authTables = ['migrations', 'users', 'keys', 'workers'];
const busyTimeoutMs = 5_000;

/**
 * Null: the file holds a database, or none was ever there. Otherwise one sentence: SQLite itself would take
 * a lost or empty file for a new database, and drop what is still in its log.
 */
export function findDatabaseLoss(path: string, hasBlobs: boolean): string | null {
  if (bytesOf(path) > 0) return null;
  const state = statSync(path, { throwIfNoEntry: false }) ? 'is empty' : 'is missing';
  const beside = bytesOf(`${path}-wal`) > 0 ? 'its log is' : hasBlobs ? 'its files are' : null;
  if (beside === null) return null;
  return `The database file ${path} ${state}, and ${beside} still there: restore the data folder from a backup, or move it away to begin anew.`;
}

/**
 * Null: SQLite finds nothing wrong. Otherwise one sentence. A file of more than `wholeBytes` is looked at in part:
 * its head, its length and the tables that let people in.
 */
export function findDatabaseCorruption(path: string, wholeBytes = maxFullCheckBytes): string | null {
  if (bytesOf(path) === 0) return null;
  try {
    const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
    try {
      const isWhole = bytesOf(path) + bytesOf(`${path}-wal`) <= wholeBytes;
      const found = isWhole ? quickCheck(db, '1') : quickCheckAuthTables(db);
      if (found !== null) return corruptionMessage(path, found);
      // After a failed flush the system may hold pages that the disk never got, and calls them clean. Before anything
      // is built on the log, all of it is written once more, into the file.
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

function quickCheckAuthTables(db: DatabaseSync): string | null {
  const known = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  for (const table of authTables) {
    const found = known.some(({ name }) => name === table) ? quickCheck(db, `'${table}'`) : null;
    if (found !== null) return found;
  }
  return null;
}

/** `about`: how many findings are enough, or the one table that is looked at. */
function quickCheck(db: DatabaseSync, about: string): string | null {
  const [row] = db.prepare(`PRAGMA quick_check(${about})`).all();
  const found = String(row?.quick_check);
  return found === 'ok' ? null : (found.split('\n').at(-1) ?? found);
}

const corruptionMessage = (path: string, found: string): string =>
  `The database file ${path} is damaged (${found}): restore the data folder from a backup, or move it away to begin anew.`;

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** SQLITE_BUSY 5 (a command works beside us), SQLITE_FULL 13: neither says anything of the file. */
const isBusyOrFull = (failure: unknown): boolean =>
  failure instanceof Error &&
  'errcode' in failure &&
  typeof failure.errcode === 'number' &&
  [5, 13].includes(failure.errcode & 0xff);
