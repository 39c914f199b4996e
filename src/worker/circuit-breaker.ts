// The circuit breaker of upstream accounts: no job is claimed for an account that fails or is rate limited.
import type { Logger } from 'pino';
import { type Clock, minutes, seconds } from '../domain/clock.ts';
import type { ProviderError } from '../domain/provider.ts';
import type { Connection } from '../store/db/connection.ts';
import { recordAccountError } from '../store/jobs/account-states.ts';
import type { RouteKey } from '../store/jobs/route-troubles.ts';
import { blockAccount } from '../store/jobs/slots.ts';
import { openRouteTroubles } from './route-troubles.ts';

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
  /** Resets the count of consecutive failures, and clears the troubles of the route. */
  recordSuccess(route: RouteKey): Promise<void>;
  /**
   * Counts the failure, where the account and not one job is at fault, and opens the circuit. A route that is unusable
   * opens none: its jobs are refused one after another, and other models of the account go on.
   */
  recordFailure(route: RouteKey, error: ProviderError): Promise<void>;
  /** Records what a free call showed of a route, for the operator; opens no circuit. */
  recordTrouble(route: RouteKey, error: ProviderError): Promise<void>;
  /** Deletes the troubles of all routes, which may be put right: at a start, and when the settings were read again. */
  forgetTroubles(): Promise<void>;
  /** Why jobs of an unusable route are refused without a call; null where a call is due. */
  unusableReason(route: RouteKey): string | null;
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
  const troubles = openRouteTroubles({ db, clock, log });

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
    recordSuccess(route) {
      failures.delete(route.account);
      return troubles.clear(route);
    },
    recordTrouble: async (route, error) => void (await troubles.record(route, error)),
    forgetTroubles: troubles.forget,
    unusableReason: route => troubles.refusal(route),
    async recordFailure(route, error) {
      if (error.trouble === undefined) return;
      await recordAccountError(db, route.account, { at: clock.now(), message: error.message });
      if (error.trouble === 'account' && (await troubles.record(route, error))) return;
      const { trouble: reason, message } = error;
      const { account: accountId } = route;
      const durationMs = openDurationMs(accountId, error);
      if (durationMs === 0) return;
      const level = reason === 'account' ? 'error' : 'warn';
      const event = reason === 'rate' ? 'account paused: rate limited' : 'circuit opened for account';
      log[level]({ account: accountId, reason, message, durationMs }, event);
      await blockAccount(db, accountId, clock.now() + durationMs, message);
    },
  };
}
