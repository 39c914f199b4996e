import { type Clock, days, seconds } from '../domain/clock.ts';
import type { Principal } from '../domain/key.ts';
import { refuse } from '../domain/refusal.ts';
import type { Statements } from '../store/connection.ts';
import { giveBackToDay, takeFromDay } from '../store/keys.ts';
import { countUnfinishedOfKey } from '../store/waiting.ts';

/** How soon a job of a key may have ended, where it has as many as it may have at once. */
const tryAgainSeconds = 5;

/** The gate of a key's own bounds, for keys that have some. */
export interface QuotaGate {
  /** Counts a job that is about to be stored, or refuses it; the function takes the count back. */
  take(principal: Principal): Promise<() => Promise<void>>;
}

export function openQuotaGate(db: Statements, clock: Clock): QuotaGate {
  return {
    async take({ keyId, quota }) {
      if (quota === null) return async () => {};
      const { atOnce, perDay } = quota;
      if (atOnce !== null && (await countUnfinishedOfKey(db, keyId, atOnce)) >= atOnce) {
        throw refuse('quota_of_key_used', {
          subject: `This key may have ${atOnce} unfinished jobs at once, please try again later`,
          retryAfterSeconds: tryAgainSeconds,
        });
      }
      if (perDay === null) return async () => {};
      const now = clock.now();
      const day = Math.floor(now / days);
      if (await takeFromDay(db, keyId, day, perDay)) return () => giveBackToDay(db, keyId, day);
      throw refuse('quota_of_key_used', {
        subject: `This key may make ${perDay} jobs a day (UTC), please try again later`,
        retryAfterSeconds: Math.ceil(((day + 1) * days - now) / seconds),
      });
    },
  };
}
