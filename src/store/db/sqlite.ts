/** SQLite behind the connection seam: one writer with group commit, one reader, announcements within the process. */
import { EventEmitter } from 'node:events';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Connection, Row, Statements, Value } from './connection.ts';
import { type GroupCommit, openGroupCommit, type WriteFaultOptions } from './group-commit.ts';
import { isBusy, isStorageFault, mapStorageFault } from './sqlite-errors.ts';

/** How long another process (a command beside the server) may keep the write lock. */
const busyTimeoutMs = 5_000;

export type SqliteOptions = WriteFaultOptions;

/**
 * SQLite in a file, durable: WAL, synchronous FULL. Writes that arrive while a group is committed share the next
 * one; each promise resolves after the COMMIT.
 */
export function openSqlite(path: string, options: SqliteOptions = {}): Connection {
  const writer = open(path);
  const reader = open(path);
  const inReader = openStatementCache(reader);
  const group = openGroupCommit(writer, options);
  let closed = false;

  return {
    dialect: 'sqlite',
    skipLocked: '',
    nowMs: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    read: async (text, values) => {
      const reason = group.unavailableReason();
      if (reason) throw reason;
      try {
        return run(inReader(text), values);
      } catch (failure) {
        throw mapStorageFault(failure);
      }
    },
    ...writesOf(writer, group),
    ...openAnnouncements(),
    close: async () => {
      if (closed) return;
      closed = true;
      await group.close();
      reader.close();
      if (!group.hasFailed()) checkpointLog(writer);
      writer.close();
    },
  };
}

/** Every write goes through the group commit. */
function writesOf(
  writer: DatabaseSync,
  group: GroupCommit,
): Pick<Connection, 'write' | 'transaction' | 'migrate' | 'eraseDeleted'> {
  const prepare = openStatementCache(writer);
  const inside: Statements = {
    read: async (text, values) => run(prepare(text), values),
    write: async (text, values) => run(prepare(text), values),
  };
  return {
    write: (text, values) =>
      group.enqueue<readonly Row[]>(setValue => ({
        kind: 'statement',
        run: () => setValue(run(prepare(text), values)),
      })),
    transaction: work =>
      group.enqueue(setValue => ({ kind: 'transaction', run: async () => setValue(await work(inside)) })),
    // Pages keep remains of a row that grew and moved, which secure_delete does not overwrite.
    eraseDeleted: () =>
      group.enqueue(setValue => ({
        kind: 'alone',
        run: () => setValue(writer.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')),
      })),
    migrate: work =>
      group.enqueue(setValue => ({
        kind: 'transaction',
        run: async () => setValue(await work({ ...inside, script: async text => writer.exec(text) })),
      })),
  };
}

/** One process serves an SQLite file, so an announcement need not leave it. */
function openAnnouncements(): Pick<Connection, 'announce' | 'onAnnounced'> {
  const announcements = new EventEmitter().setMaxListeners(0);
  return {
    announce: topic => void announcements.emit('announced', topic),
    onAnnounced: listener => {
      announcements.on('announced', listener);
      return () => announcements.off('announced', listener);
    },
  };
}

/**
 * Locks a folder for this process as long as it lives: the system frees the lock even after kill -9. Null when
 * another process has it.
 */
export function lockFolder(path: string): { release(): void } | null {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return { release: () => db.close() };
  } catch (failure) {
    db.close();
    if (isBusy(failure)) return null;
    throw mapStorageFault(failure);
  }
}

function open(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  // secure_delete: deleted content is overwritten where its page is written anyway, so that no secret stays behind.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864;
    PRAGMA secure_delete = FAST`);
  return db;
}

/** Writes the write-ahead log into the file. With a full disk or an open reader, the log keeps the pages. */
function checkpointLog(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (failure) {
    if (!isStorageFault(failure)) throw failure;
  }
}

/** Statements are prepared once. SQLite's numbered parameters are `?1`, not `$1`. */
function openStatementCache(db: DatabaseSync): (text: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return text => {
    let statement = prepared.get(text);
    if (!statement) {
      statement = db.prepare(text.replace(/\$(\d+)/g, '?$1'));
      prepared.set(text, statement);
    }
    return statement;
  };
}

// The schema has no blob columns and no integers beyond 2^53: values are text, numbers and null.
const run = (statement: StatementSync, values: readonly Value[] = []): readonly Row[] =>
  statement.all(...values) as unknown as readonly Row[];
