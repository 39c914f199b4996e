import type { Logger } from 'pino';
import { type Clock, minutes, seconds } from '../domain/clock.ts';
import type { ProviderError } from '../domain/provider.ts';
import type { Connection } from '../store/db/connection.ts';
import { blockAccount } from '../store/jobs/slots.ts';

/** Failures one after another before an account is left alone, and for how long: doubling. */
const failureThreshold = 5;
const firstBlockMs = 10 * seconds;
const longestBlockMs = 5 * minutes;
/** An account that needs its operator is tried again so often. */
const operatorBlockMs = 1 * minutes;
/** A pause without a length, and the longest that an upstream may ask for. */
const pauseMs = 2 * seconds;
const longestPauseMs = 1 * minutes;

/** Leaves accounts alone that do not answer, in every process. Failures are counted in this one. */
export interface CircuitBreaker {
  recordSuccess(accountId: string): void;
  recordFailure(accountId: string, error: ProviderError): Promise<void>;
}

export function openCircuitBreaker({
  db,
  clock,
  log,
}: {
  readonly db: Connection;
  readonly clock: Clock;
  readonly log: Logger;
}): CircuitBreaker {
  const failures = new Map<string, number>();

  function blockOf(accountId: string, { trouble, retryAfterMs }: ProviderError): number {
    if (trouble === 'rate') return Math.min(longestPauseMs, retryAfterMs ?? pauseMs);
    if (trouble === 'account') return operatorBlockMs;
    const inARow = (failures.get(accountId) ?? 0) + 1;
    failures.set(accountId, inARow);
    return inARow < failureThreshold
      ? 0
      : Math.min(longestBlockMs, firstBlockMs * 2 ** (inARow - failureThreshold));
  }

  return {
    recordSuccess: accountId => void failures.delete(accountId),
    async recordFailure(accountId, error) {
      if (error.trouble === undefined) return;
      const blockMs = blockOf(accountId, error);
      if (blockMs === 0) return;
      const level = error.trouble === 'account' ? 'error' : 'warn';
      log[level](
        { account: accountId, trouble: error.trouble, why: error.message, forMs: blockMs },
        'an account is left alone for a while; its jobs wait',
      );
      await blockAccount(db, accountId, clock.now() + blockMs, error.message);
    },
  };
}
