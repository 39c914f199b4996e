/** Retries a write while the database is unavailable. */
import type { Logger } from 'pino';
import { type Clock, seconds } from '../../domain/clock.ts';
import { StoreUnavailable } from './connection.ts';

/** Delay after a failure of the database. */
export const storeRetryMs = 1 * seconds;

/** For writes that must not be lost: retries every second while the database is unavailable, until the signal aborts. */
export async function retryWrite<T>(
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  what: string,
  signal: AbortSignal,
  write: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (failure) {
      if (signal.aborted || !(failure instanceof StoreUnavailable)) throw failure;
      log.error({ err: failure, what }, 'write failed: database unavailable, retrying');
      await clock.sleep(storeRetryMs, signal);
    }
  }
}
