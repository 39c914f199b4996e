import type { Clock } from '../domain/clock.ts';
import type { KeyId } from '../domain/ids.ts';
import type { RateLimit } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';

const maxKeysRemembered = 50_000;

/** Takes one request from a key's rate, or throws the 429 of Contract 7.1 with the wait. */
export type TakeFromRate<Id = KeyId> = (id: Id) => void;

/** GCRA: one number a key, the time at which its bucket would be empty again. Counted in this process. */
export function openRate<Id = KeyId>(limit: RateLimit, clock: Clock): TakeFromRate<Id> {
  const spacingMs = 1000 / limit.perSecond;
  const toleranceMs = limit.burst * spacingMs;
  const emptyAt = new Map<Id, number>();

  return id => {
    const now = clock.now();
    const told = emptyAt.get(id) ?? now;
    // Fuller than full: the clock was set back. There is room for one, and for more as time goes on.
    const at = told > now + toleranceMs ? now + toleranceMs - spacingMs : told;
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

function evictSome<Id>(emptyAt: Map<Id, number>, now: number): void {
  for (const [id, at] of emptyAt) if (at <= now) emptyAt.delete(id);
  if (emptyAt.size < maxKeysRemembered) return;
  // None was empty: the older half goes at once, or every request from here on would look at all of them.
  for (const id of [...emptyAt.keys()].slice(0, maxKeysRemembered / 2)) emptyAt.delete(id);
}
