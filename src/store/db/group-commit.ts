/** Group commit for SQLite's one writer: queued writes share a transaction and a flush, each with its own result. */
import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from './connection.ts';
import { asStoreUnavailable, isDiskFull, isFlushFault, mapStorageFault } from './sqlite-errors.ts';

/** Bounds of one group, so that the event loop keeps running. */
const maxGroupWrites = 256;
const maxGroupMs = 4;

/** A single statement, the work of a transaction, which is undone as a whole and awaited, or one outside of any. */
export type Write =
  | { readonly kind: 'statement'; readonly run: () => void }
  | { readonly kind: 'alone'; readonly run: () => void }
  | { readonly kind: 'transaction'; readonly run: () => Promise<void> };

/** A write that waits for its group. */
interface QueuedWrite {
  readonly write: Write;
  /** Settles the caller's promise; without a failure it resolves. */
  readonly settle: (failure?: unknown) => void;
}

/** How the owner of the connection learns of disk faults. */
export interface WriteFaultOptions {
  /** Called whenever a write found no space on the disk. */
  readonly onDiskFull?: () => void;
  /** Called once, when the disk failed a write or flush: from then on this connection refuses everything. */
  readonly onWriteFailed?: (cause: unknown) => void;
}

/** What a group commit needs beside its connection. */
export interface GroupCommitOptions extends WriteFaultOptions {
  /** Called before each commit, and before a write outside of any transaction. */
  readonly beforeCommit: () => void;
}

/** The queue in front of the writer. */
export interface GroupCommit {
  /**
   * Queues a write; `setValue`, called by its work, gives what the promise resolves to after the COMMIT. Rejects
   * with what the work threw, or with `StoreUnavailable`.
   */
  enqueue<T>(writeOf: (setValue: (value: T) => void) => Write): Promise<T>;
  /** Null while statements are accepted. */
  unavailableReason(): StoreUnavailable | null;
  /** Whether a write or flush failed: the file must not be written again by this process. */
  hasFailed(): boolean;
  /** Refuses further writes and resolves once the queued ones are settled. */
  close(): Promise<void>;
}

export function openGroupCommit(db: DatabaseSync, options: GroupCommitOptions): GroupCommit {
  const { beforeCommit } = options;
  const writer = openWriter(db, options);
  const queue: QueuedWrite[] = [];
  let committing: Promise<void> | null = null;
  let closed = false;

  const unavailableReason = () =>
    closed ? new StoreUnavailable('the database is closed') : writer.permanentFailure();

  async function commitGroups(): Promise<void> {
    while (queue.length > 0) await commitGroup(db, writer, queue, beforeCommit);
    committing = null;
  }

  return {
    enqueue<T>(writeOf: (setValue: (value: T) => void) => Write): Promise<T> {
      const reason = unavailableReason();
      if (reason) return Promise.reject(reason);
      return new Promise<T>((resolve, reject) => {
        let value: T;
        const settle = (failure?: unknown) => (failure === undefined ? resolve(value) : reject(failure));
        queue.push({ settle, write: writeOf(result => (value = result)) });
        committing ??= new Promise(done => setImmediate(() => commitGroups().then(done)));
      });
    },
    unavailableReason,
    hasFailed: () => writer.permanentFailure() !== null,
    async close() {
      closed = true;
      await committing;
    },
  };
}

/** Never rejects: every write taken from the queue is settled. */
async function commitGroup(
  db: DatabaseSync,
  writer: Writer,
  queue: QueuedWrite[],
  beforeCommit: () => void,
): Promise<void> {
  if (queue[0]?.write.kind === 'alone') {
    const alone = queue.shift()!;
    beforeCommit();
    return alone.settle(await writer.run(alone.write, true));
  }
  const done: QueuedWrite[] = [];
  try {
    db.exec('BEGIN IMMEDIATE');
    await runGroup(db, writer, queue, done);
    if (!db.isTransaction) return;
    beforeCommit();
    db.exec('COMMIT');
  } catch (cause) {
    const failure = writer.rollBackAfter(cause);
    for (const queued of done) queued.settle(failure);
    // Without the write lock nothing of this group ran; its callers must not wait for ever.
    if (done.length === 0 || writer.permanentFailure())
      for (const queued of queue.splice(0)) queued.settle(failure);
    return;
  }
  for (const queued of done) queued.settle();
}

/**
 * Moves writes that succeeded from the queue to `done`; settles those that failed by themselves. Without any left in the
 * group it may end the transaction: those behind it are for the next group.
 */
async function runGroup(
  db: DatabaseSync,
  writer: Writer,
  queue: QueuedWrite[],
  done: QueuedWrite[],
): Promise<void> {
  const endsAt = performance.now() + maxGroupMs;
  while (done.length < maxGroupWrites && performance.now() < endsAt) {
    if (queue.length === 0 || queue[0]?.write.kind === 'alone') return;
    const queued = queue.shift()!;
    const running = writer.run(queued.write, done.length === 0);
    // A statement is done at once; only a transaction has to be awaited.
    const failure = running instanceof Promise ? await running : running;
    if (failure === undefined) done.push(queued);
    else queued.settle(failure);
    if (db.isTransaction) continue;
    if (done.length === 0 && !writer.permanentFailure()) return;
    // A full disk makes SQLite roll back the whole transaction, not the statement alone.
    throw failure;
  }
}

/** Runs writes inside the open transaction and keeps track of faults of the disk. */
interface Writer {
  /**
   * Undefined, or why this write failed; the others of its group are unaffected. A promise for a transaction, which
   * never rejects. `isFirst`: nothing of its group would be lost if the whole were rolled back.
   */
  run(write: Write, isFirst: boolean): unknown;
  /** Rolls the group back; returns what its callers are rejected with. */
  rollBackAfter(cause: unknown): StoreUnavailable;
  permanentFailure(): StoreUnavailable | null;
}

function openWriter(db: DatabaseSync, { onDiskFull, onWriteFailed }: WriteFaultOptions): Writer {
  let permanentFailure: StoreUnavailable | null = null;

  /** The system forgets a failed flush and reports the next one as good, so this process must not retry on the file. */
  function failPermanently(cause: unknown): void {
    if (permanentFailure) return;
    permanentFailure = new StoreUnavailable('SQLite: write to disk failed', { cause, inDoubt: true });
    onWriteFailed?.(cause);
  }

  function reportFault(failure: unknown): void {
    if (isDiskFull(failure)) onDiskFull?.();
    if (isFlushFault(failure)) failPermanently(failure);
  }

  function rollBack(): void {
    try {
      if (db.isTransaction) db.exec('ROLLBACK');
    } catch (failure) {
      failPermanently(failure);
    }
  }

  function rollBackToSavepoint(): boolean {
    try {
      if (db.isTransaction) db.exec('ROLLBACK TO unit; RELEASE unit');
      return true;
    } catch (failure) {
      reportFault(failure);
      return false;
    }
  }

  function explain(failure: unknown): unknown {
    return mapStorageFault(failure) ?? new Error('thrown without a reason');
  }

  function runStatement(run: () => void): unknown {
    try {
      run();
      return undefined;
    } catch (failure) {
      reportFault(failure);
      if (permanentFailure) rollBack();
      return explain(failure);
    }
  }

  /** A savepoint keeps the old content of every page that changes behind it, which the first of a group is spared. */
  async function runTransaction(run: () => Promise<void>, isFirst: boolean): Promise<unknown> {
    try {
      if (!isFirst) db.exec('SAVEPOINT unit');
      await run();
      if (!isFirst) db.exec('RELEASE unit');
      return undefined;
    } catch (failure) {
      reportFault(failure);
      // Without a savepoint the whole group has to be rolled back.
      if (isFirst || permanentFailure || !rollBackToSavepoint()) rollBack();
      return explain(failure);
    }
  }

  return {
    run: (write, isFirst) =>
      write.kind === 'transaction' ? runTransaction(write.run, isFirst) : runStatement(write.run),
    rollBackAfter(cause) {
      reportFault(cause);
      rollBack();
      return permanentFailure ?? asStoreUnavailable(cause);
    },
    permanentFailure: () => permanentFailure,
  };
}
