/** Which PostgreSQL and network errors mean an unavailable store, and which a transaction to run again. */
import { StoreUnavailable } from './connection.ts';

const codeOf = (failure: unknown): string =>
  failure instanceof Error && 'code' in failure ? String(failure.code) : '';

/** Serialization failures and deadlocks: the transaction may be run again. */
export const isDeadlock = (failure: unknown): boolean => ['40001', '40P01'].includes(codeOf(failure));

/** Connection errors, refused login or database (28, 3D, 55), resources (53), operators (57), the system (58). */
export function isStorageFault(failure: unknown): boolean {
  if (failure instanceof StoreUnavailable) return true;
  const code = codeOf(failure);
  if (/^(08|28|3D|53|55|57|58|25006)/.test(code) || /^E[A-Z_]+$/.test(code)) return true;
  return (
    failure instanceof Error &&
    !('code' in failure) &&
    /connect|terminated|timeout|ended|calling end/i.test(failure.message)
  );
}

/** `inDoubt`: the failed statement was a commit, which may have succeeded. */
export function asStoreUnavailable(cause: unknown, inDoubt = false): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  const message = `PostgreSQL: ${cause instanceof Error ? cause.message || codeOf(cause) : String(cause)}`;
  return new StoreUnavailable(message, { cause, inDoubt });
}
