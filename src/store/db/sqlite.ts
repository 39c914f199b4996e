import { EventEmitter } from 'node:events';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Connection, type Row, type Statements, StoreUnavailable, type Value } from './connection.ts';

/** A group of writes shares one transaction and one flush; bounded, so that the event loop breathes. */
const maxGroupWrites = 256;
const maxGroupMs = 4;
/** How long another process (a command beside the server) may hold the write lock. */
const busyTimeoutMs = 5_000;

/** One queued write: a statement, or the work of a transaction. */
interface QueuedWrite {
  /** Resolves or rejects the caller's promise once the group is committed. */
  readonly settle: (failure?: unknown) => void;
  /** Null for a transaction's work, which needs a savepoint and is awaited. */
  readonly statement: (() => void) | null;
  readonly work: (() => Promise<void>) | null;
}

export interface SqliteOptions {
  /** Told when a write found no room on the disk. It may be told often. */
  readonly onFull?: () => void;
  /** Told once, when the disk did not take a write: from then on this connection refuses everything. */
  readonly onBroken?: (cause: unknown) => void;
}

/**
 * SQLite in a file, durable: WAL, synchronous FULL. Group commit lives here: writes that arrive while
 * a group is under way share the next one, and each promise resolves after the COMMIT.
 */
export function openSqlite(path: string, { onFull, onBroken }: SqliteOptions = {}): Connection {
  const writer = open(path);
  const reader = open(path);
  const inWriter = openStatementCache(writer);
  const inReader = openStatementCache(reader);
  const announcements = new EventEmitter().setMaxListeners(0);
  const queue: QueuedWrite[] = [];
  let group: Promise<void> | null = null;
  let closed = false;
  let broken: StoreUnavailable | null = null;

  const inside: Statements = {
    read: async (text, values) => run(inWriter(text), values),
    write: async (text, values) => run(inWriter(text), values),
  };

  function enqueue<T>(
    make: (keep: (value: T) => void) => Pick<QueuedWrite, 'statement' | 'work'>,
  ): Promise<T> {
    const shut = whyShut();
    if (shut) return Promise.reject(shut);
    return new Promise<T>((resolve, reject) => {
      let kept: T;
      const settle = (failure?: unknown) => (failure === undefined ? resolve(kept) : reject(failure));
      queue.push({ settle, ...make(value => (kept = value)) });
      group ??= new Promise(done => setImmediate(() => commitGroups().then(done)));
    });
  }

  async function commitGroups(): Promise<void> {
    while (queue.length > 0) await commitGroup();
    group = null;
  }

  async function commitGroup(): Promise<void> {
    const done: QueuedWrite[] = [];
    try {
      writer.exec('BEGIN IMMEDIATE');
      const endsAt = performance.now() + maxGroupMs;
      while (queue.length > 0 && done.length < maxGroupWrites && performance.now() < endsAt) {
        const unit = queue.shift()!;
        const failure = await runUnit(unit);
        if (failure === undefined) done.push(unit);
        else unit.settle(failure);
        // A full disk makes SQLite roll back everything, not this statement alone.
        if (!writer.isTransaction) throw failure;
      }
      writer.exec('COMMIT');
    } catch (cause) {
      judge(cause);
      rollBack();
      const failure = broken ?? asStoreUnavailable(cause);
      for (const unit of done) unit.settle(failure);
      // The lock could not be had: nothing of this group ran, and whoever waits must not wait for ever.
      if (done.length === 0 || broken) for (const unit of queue.splice(0)) unit.settle(failure);
      return;
    }
    for (const unit of done) unit.settle();
  }

  /** Undefined, or why this unit failed; alone, without its neighbours in the group. */
  async function runUnit(unit: QueuedWrite): Promise<unknown> {
    try {
      if (unit.statement) {
        unit.statement();
        return undefined;
      }
      writer.exec('SAVEPOINT unit');
      await unit.work!();
      writer.exec('RELEASE unit');
      return undefined;
    } catch (failure) {
      judge(failure);
      // Without its savepoint the whole group is taken back.
      if (broken || (unit.work && !takeBackUnit())) rollBack();
      return isStorageFault(failure)
        ? asStoreUnavailable(failure)
        : (failure ?? new Error('thrown without a reason'));
    }
  }

  function takeBackUnit(): boolean {
    try {
      if (writer.isTransaction) writer.exec('ROLLBACK TO unit; RELEASE unit');
      return true;
    } catch (failure) {
      judge(failure);
      return false;
    }
  }

  function rollBack(): void {
    try {
      if (writer.isTransaction) writer.exec('ROLLBACK');
    } catch (failure) {
      breakDown(failure);
    }
  }

  function judge(failure: unknown): void {
    if (errorCodeOf(failure) === full) onFull?.();
    if (isFlushFault(failure)) breakDown(failure);
  }

  /** The system forgets a failed flush and calls the next one good: nothing may be tried again on this file here. */
  function breakDown(cause: unknown): void {
    if (broken) return;
    broken = new StoreUnavailable('SQLite: the disk did not take a write', { cause, inDoubt: true });
    onBroken?.(cause);
  }

  function whyShut(): StoreUnavailable | null {
    return closed ? new StoreUnavailable('the database is closed') : broken;
  }

  return {
    dialect: 'sqlite',
    skipLocked: '',
    nowMs: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    read: async (text, values) => {
      const shut = whyShut();
      if (shut) throw shut;
      try {
        return run(inReader(text), values);
      } catch (failure) {
        throw isStorageFault(failure) ? asStoreUnavailable(failure) : failure;
      }
    },
    write: (text, values) =>
      enqueue<readonly Row[]>(keep => ({ statement: () => keep(run(inWriter(text), values)), work: null })),
    transaction: work => enqueue(keep => ({ statement: null, work: async () => keep(await work(inside)) })),
    migrate: work =>
      enqueue(keep => ({
        statement: null,
        work: async () => keep(await work({ ...inside, script: async text => writer.exec(text) })),
      })),
    announce: topic => void announcements.emit('announced', topic),
    onAnnounced: listener => {
      announcements.on('announced', listener);
      return () => announcements.off('announced', listener);
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await group;
      reader.close();
      if (!broken) checkpointLog(writer);
      writer.close();
    },
  };
}

/**
 * Takes a folder for one serving process, as long as it lives: the system frees the lock even after kill -9.
 * Null when another process has it.
 */
export function lockFolder(path: string): { release(): void } | null {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return { release: () => db.close() };
  } catch (failure) {
    db.close();
    if (errorCodeOf(failure) === busy) return null;
    throw isStorageFault(failure) ? asStoreUnavailable(failure) : failure;
  }
}

function open(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  // secure_delete: what a row held is overwritten where its page is written anyway, so that no secret stays behind.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864;
    PRAGMA secure_delete = FAST`);
  return db;
}

/** Brings the log into the file. Where there is no room, or somebody reads, the log keeps it as well. */
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

// The schema holds no blobs and no integer beyond 2^53: what comes back is text, numbers and null.
const run = (statement: StatementSync, values: readonly Value[] = []): readonly Row[] =>
  statement.all(...values) as unknown as readonly Row[];

/** SQLITE_BUSY 5, NOMEM 7, READONLY 8, IOERR 10, CORRUPT 11, FULL 13, CANTOPEN 14, NOTADB 26. */
const storageFaults: readonly number[] = [5, 7, 8, 10, 11, 13, 14, 26];
const busy = 5;
const full = 13;
/** SQLITE_IOERR_WRITE, IOERR_FSYNC, IOERR_DIR_FSYNC. A read that fails, or no room for the -shm file, is none. */
const flushFaults: readonly number[] = [778, 1034, 1290];

const isStorageFault = (failure: unknown): boolean =>
  storageFaults.includes((errorCodeOf(failure) ?? 0) & 0xff);

const isFlushFault = (failure: unknown): boolean => flushFaults.includes(errorCodeOf(failure) ?? 0);

/** SQLite's extended code; null where SQLite has no part in it. */
function errorCodeOf(failure: unknown): number | null {
  const found = failure instanceof StoreUnavailable ? failure.cause : failure;
  return found instanceof Error && 'errcode' in found && typeof found.errcode === 'number'
    ? found.errcode
    : null;
}

function asStoreUnavailable(cause: unknown): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  return new StoreUnavailable(`SQLite: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
