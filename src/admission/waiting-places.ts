import { type Clock, seconds } from '../domain/clock.ts';
import type { KeyId } from '../domain/ids.ts';
import { refuse } from '../domain/refusal.ts';
import type { Statements } from '../store/connection.ts';
import { countWaiting, countWaitingOfKey } from '../store/waiting.ts';
import { laterSeconds } from './later.ts';

export interface WaitingLimits {
  /** Jobs of one key that may wait. */
  readonly perKey: number;
  /** Jobs that may wait, of all keys. */
  readonly inAll: number;
}

/** How many jobs may wait, of a key and of all. */
export interface WaitingPlaces {
  /** Throws the 429 or 503 when there is surely no place; takes none. */
  refuseWhenFull(keyId: KeyId): Promise<void>;
  /** Lets `insert` put one job into a place of its own, or throws as above. It says whether it did. */
  take<T extends { readonly kind: string }>(keyId: KeyId, insert: () => Promise<T>): Promise<T>;
}

export interface WaitingPlacesParts {
  readonly db: Statements;
  readonly clock: Clock;
  readonly limits: WaitingLimits;
  /** Whether other processes insert jobs, too. */
  readonly hasNeighbours: boolean;
}

/** How old a count of the database may be when it decides. */
const countLifeMs = 1 * seconds;
/** All jobs are many: counting them is no matter of every second. */
const countOfAllLifeMs = 10 * seconds;
const maxKeysRemembered = 10_000;

/** Never less than what waits, but for what neighbours inserted since it was counted. */
interface Tally {
  readonly limit: number;
  readonly lifeMs: number;
  readonly read: (upTo: number) => Promise<number>;
  /** What waits, with those that are being inserted; those that left since are still in it. */
  waiting: number;
  inserting: number;
  /** Inserts that ever began. */
  begun: number;
  countedAt: number;
  counting: Promise<void> | null;
}

/** Counted in the database now and then, and by what this process inserts in between. */
export function openWaitingPlaces({ db, clock, limits, hasNeighbours }: WaitingPlacesParts): WaitingPlaces {
  const byKey = new Map<KeyId, Tally>();
  const ofAll = tally(limits.inAll, countOfAllLifeMs, upTo => countWaiting(db, upTo));

  function tallyOf(keyId: KeyId): Tally {
    const known = byKey.get(keyId);
    if (known) return known;
    if (byKey.size >= maxKeysRemembered) byKey.clear();
    const fresh = tally(limits.perKey, countLifeMs, upTo => countWaitingOfKey(db, keyId, upTo));
    byKey.set(keyId, fresh);
    return fresh;
  }

  /** Alone, what was counted and inserted since can only be too much: it is counted again once that refuses. */
  function isTrusted(tally: Tally): boolean {
    const isFresh = clock.now() - tally.countedAt < tally.lifeMs;
    return isFresh || (!hasNeighbours && tally.countedAt > 0 && tally.waiting < tally.limit);
  }

  async function bring(tally: Tally): Promise<void> {
    if (isTrusted(tally)) return;
    tally.counting ??= count(tally).finally(() => (tally.counting = null));
    await tally.counting;
  }

  async function count(tally: Tally): Promise<void> {
    const { inserting, begun } = tally;
    const countedAt = clock.now();
    const counted = await tally.read(tally.limit);
    // Of those who were at it meanwhile nobody knows whether the count saw them.
    tally.waiting = counted + inserting + (tally.begun - begun);
    tally.countedAt = countedAt;
  }

  async function bringTallies(keyId: KeyId): Promise<readonly [ofKey: Tally, ofAll: Tally]> {
    const ofKey = tallyOf(keyId);
    for (const each of [ofKey, ofAll]) await bring(each);
    return [ofKey, ofAll];
  }

  return {
    refuseWhenFull: async keyId => refuseFull(await bringTallies(keyId)),
    async take(keyId, insert) {
      const both = await bringTallies(keyId);
      // Nothing may come between looking and taking.
      refuseFull(both);
      for (const each of both) begin(each);
      let isInserted = false;
      try {
        const insertion = await insert();
        isInserted = insertion.kind === 'inserted';
        return insertion;
      } finally {
        for (const each of both) end(each, isInserted);
      }
    },
  };
}

function refuseFull([ofKey, ofAll]: readonly [ofKey: Tally, ofAll: Tally]): void {
  if (ofKey.waiting >= ofKey.limit) throw refuse('waiting_of_key_full', laterSeconds());
  if (ofAll.waiting >= ofAll.limit) throw refuse('waiting_full', laterSeconds());
}

const tally = (limit: number, lifeMs: number, read: Tally['read']): Tally => ({
  limit,
  lifeMs,
  read,
  waiting: 0,
  inserting: 0,
  begun: 0,
  countedAt: 0,
  counting: null,
});

function begin(tally: Tally): void {
  tally.waiting++;
  tally.inserting++;
  tally.begun++;
}

function end(tally: Tally, isInserted: boolean): void {
  tally.inserting--;
  if (!isInserted) tally.waiting--;
}
