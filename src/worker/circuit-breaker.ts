// The circuit breaker of upstream accounts: no job is claimed for an account that fails or is rate limited.
import type { Logger } from 'pino';
import { type Clock, minutes, seconds } from '../domain/clock.ts';
import type { ProviderError } from '../domain/provider.ts';
import type { Connection } from '../store/db/connection.ts';
import { blockAccount } from '../store/jobs/slots.ts';

/** Consecutive failures before the circuit opens, and for how long it stays open: doubling. */
const failureThreshold = 5;
const firstOpenMs = 10 * seconds;
const longestOpenMs = 5 * minutes;
/** An account that needs its operator (wrong key, no balance) is retried this often. */
const operatorOpenMs = 1 * minutes;
/** The pause for a rate limit without `retry-after`, and the longest that an upstream may request. */
const pauseMs = 2 * seconds;
const longestPauseMs = 1 * minutes;

/** Failures are counted in this process; an open circuit blocks the account in every process. */
export interface CircuitBreaker {
  /** Resets the count of consecutive failures. */
  recordSuccess(accountId: string): void;
  /** Counts the failure, where the account and not one job is at fault, and opens the circuit. */
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

  /** 0 while the failures are too few. */
  function openDurationMs(accountId: string, { trouble, retryAfterMs }: ProviderError): number {
    if (trouble === 'rate') return Math.min(longestPauseMs, retryAfterMs ?? pauseMs);
    if (trouble === 'account') return operatorOpenMs;
    const consecutive = (failures.get(accountId) ?? 0) + 1;
    failures.set(accountId, consecutive);
    return consecutive < failureThreshold
      ? 0
      : Math.min(longestOpenMs, firstOpenMs * 2 ** (consecutive - failureThreshold));
  }

  return {
    recordSuccess: accountId => void failures.delete(accountId),
    async recordFailure(accountId, error) {
      if (error.trouble === undefined) return;
      const { trouble: reason, message } = error;
      const durationMs = openDurationMs(accountId, error);
      if (durationMs === 0) return;
      const level = reason === 'account' ? 'error' : 'warn';
      const event = reason === 'rate' ? 'account paused: rate limited' : 'circuit opened for account';
      log[level]({ account: accountId, reason, message, durationMs }, event);
      await blockAccount(db, accountId, clock.now() + durationMs, message);
    },
  };
}
