/** Which SQLite result codes mean an unavailable store, a full disk or a failed flush. */
import { StoreUnavailable } from './connection.ts';

/** SQLITE_BUSY 5, NOMEM 7, READONLY 8, IOERR 10, CORRUPT 11, FULL 13, CANTOPEN 14, NOTADB 26. */
const storageFaults: readonly number[] = [5, 7, 8, 10, 11, 13, 14, 26];
/** SQLITE_BUSY and SQLITE_FULL by themselves. */
const busy = 5;
const full = 13;
/** SQLITE_IOERR_WRITE, IOERR_FSYNC, IOERR_DIR_FSYNC. A failed read, or no space for the -shm file, is not one. */
const flushFaults: readonly number[] = [778, 1034, 1290];

/** Faults of disk, memory or file; never a mistake in a statement. */
export const isStorageFault = (failure: unknown): boolean =>
  storageFaults.includes((errorCodeOf(failure) ?? 0) & 0xff);

/** After such a fault the process must not write to the file again. */
export const isFlushFault = (failure: unknown): boolean => flushFaults.includes(errorCodeOf(failure) ?? 0);

/** Writes may succeed again once there is space. */
export const isDiskFull = (failure: unknown): boolean => errorCodeOf(failure) === full;

/** Another process has the lock. */
export const isBusy = (failure: unknown): boolean => errorCodeOf(failure) === busy;

/** Nothing was written: the transaction is rolled back. */
export function asStoreUnavailable(cause: unknown): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  return new StoreUnavailable(`SQLite: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

/** Storage faults as `StoreUnavailable`; every other failure unchanged. */
export const mapStorageFault = (failure: unknown): unknown =>
  isStorageFault(failure) ? asStoreUnavailable(failure) : failure;

/** SQLite's extended result code; null for errors that are not SQLite's. */
function errorCodeOf(failure: unknown): number | null {
  const found = failure instanceof StoreUnavailable ? failure.cause : failure;
  return found instanceof Error && 'errcode' in found && typeof found.errcode === 'number'
    ? found.errcode
    : null;
}
