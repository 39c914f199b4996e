/** A rate limit per key, counted in this process. */
import type { Clock } from '../domain/clock.ts';
import type { KeyId } from '../domain/ids.ts';
import type { RateLimit } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';

/** Keys in memory; one that is evicted before its bucket is empty has its full rate again. */
const maxKeysRemembered = 50_000;

/** Counts one request of a key, or throws the 429 of Contract 7.1 with the wait. */
export type TakeFromRate<Id = KeyId> = (id: Id) => void;

/** GCRA: one number for each key, the time (epoch ms) at which its bucket will be empty again. */
export function openRateLimit<Id = KeyId>(limit: RateLimit, clock: Clock): TakeFromRate<Id> {
  const spacingMs = 1000 / limit.perSecond;
  const toleranceMs = limit.burst * spacingMs;
  const emptyAt = new Map<Id, number>();

  return id => {
    const now = clock.now();
    const stored = emptyAt.get(id) ?? now;
    // A time beyond the tolerance means that the clock was set back: one request is let through.
    const at = stored > now + toleranceMs ? now + toleranceMs - spacingMs : stored;
    const next = Math.max(at, now) + spacingMs;
    if (next - now > toleranceMs) {
      throw refuse('rate_exceeded', {
        retryAfterSeconds: Math.max(1, Math.ceil((next - now - toleranceMs) / 1000)),
      });
    }
    if (emptyAt.size >= maxKeysRemembered) evictSome(emptyAt, now);
    emptyAt.set(id, next);
  };
}

/** Forgets empty buckets, which loses nothing; where none is empty, the older half. */
function evictSome<Id>(emptyAt: Map<Id, number>, now: number): void {
  for (const [id, at] of emptyAt) if (at <= now) emptyAt.delete(id);
  if (emptyAt.size < maxKeysRemembered) return;
  // Half at once: evicting one by one, every request would scan the whole map again.
  for (const id of [...emptyAt.keys()].slice(0, maxKeysRemembered / 2)) emptyAt.delete(id);
}
