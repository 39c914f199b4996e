/** SQLite behind the connection seam: one writer with group commit, one reader, announcements within the process. */
import { EventEmitter } from 'node:events';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
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
  writer.exec(undoInMemory);
  const reader = openReader(path);
  const group = openGroupCommit(writer, { ...options, beforeCommit: reader.endSnapshot });
  let closed = false;

  return {
    dialect: 'sqlite',
    skipLocked: '',
    nowMs: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    read: async (text, values) => {
      const reason = group.unavailableReason();
      if (reason) throw reason;
      try {
        return reader.read(text, values);
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
      // Another connection of this process may have a snapshot until its turn ends; the checkpoint would wait for it in vain.
      await nextTurn();
      if (!group.hasFailed()) checkpointLog(writer);
      writer.close();
    },
  };
}

/** The connection that only reads. */
interface Reader {
  read(text: string, values?: readonly Value[]): readonly Row[];
  /** The next read sees all that is committed by then. */
  endSnapshot(): void;
  close(): void;
}

/**
 * Reads of one turn of the event loop share a snapshot, which locks the file once for all of them: that is a third of a
 * short read. It ends before each commit of this process, which it would otherwise neither see nor let be checkpointed.
 */
function openReader(path: string): Reader {
  const db = open(path);
  const prepare = openStatementCache(db);
  let hasSnapshot = false;

  function endSnapshot(): void {
    if (!hasSnapshot) return;
    hasSnapshot = false;
    try {
      // Some faults of the disk have ended it by themselves.
      if (db.isTransaction) db.exec('COMMIT');
    } catch (failure) {
      // Nothing was written in it; the next turn ends it.
      if (!isStorageFault(failure)) throw failure;
    }
  }

  return {
    read(text, values) {
      const statement = prepare(text);
      if (!hasSnapshot) {
        if (!db.isTransaction) db.exec('BEGIN');
        hasSnapshot = true;
        setImmediate(endSnapshot);
      }
      return run(statement, values);
    },
    endSnapshot,
    close() {
      endSnapshot();
      db.close();
    },
  };
}

// Each transaction of a group but the first keeps the old content of its pages, to be undone alone: 64 creations with a
// budget more than SQLite holds in memory of its own accord, and a temporary file costs them a quarter of their processor
// time. What rewrites the whole file, or sorts a whole table for an index, uses files.
const undoInMemory = 'PRAGMA temp_store = MEMORY';
const undoInFiles = 'PRAGMA temp_store = FILE';

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
        run: () =>
          setValue(writer.exec(`${undoInFiles}; VACUUM; ${undoInMemory}; PRAGMA wal_checkpoint(TRUNCATE)`)),
      })),
    async migrate(work) {
      const execAlone = (text: string) =>
        group.enqueue<void>(setValue => ({ kind: 'alone', run: () => setValue(writer.exec(text)) }));
      await execAlone(undoInFiles);
      await group.enqueue<void>(setValue => ({
        kind: 'transaction',
        run: async () => setValue(await work({ ...inside, script: async text => writer.exec(text) })),
      }));
      await execAlone(undoInMemory);
    },
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

/** A prepared statement, and the names of the columns that it returns. */
interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/** Statements are prepared once. SQLite's numbered parameters are `?1`, not `$1`. */
function openStatementCache(db: DatabaseSync): (text: string) => Prepared {
  const cache = new Map<string, Prepared>();
  return text => {
    let prepared = cache.get(text);
    if (!prepared) {
      const statement = db.prepare(text.replace(/\$(\d+)/g, '?$1'));
      statement.setReturnArrays(true);
      prepared = { statement, columns: statement.columns().map(({ name }) => name) };
      cache.set(text, prepared);
    }
    return prepared;
  };
}

// The schema has no blob columns and no integers beyond 2^53: values are text, numbers and null.
function run({ statement, columns }: Prepared, values: readonly Value[] = []): readonly Row[] {
  // Rows as objects of the platform take longer to make and to read: they have no common shape.
  return (statement.all(...values) as unknown as readonly (readonly Value[])[]).map(cells => {
    const row: Record<string, Value> = {};
    for (let at = 0; at < columns.length; at++) row[columns[at]!] = cells[at]!;
    return row;
  });
}
