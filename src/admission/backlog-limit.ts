import { jitteredRetryAfter } from '../body/retry-after.ts';
import { type Clock, seconds } from '../domain/clock.ts';
import type { KeyId } from '../domain/ids.ts';
import type { BacklogBounds } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';
import type { Statements } from '../store/db/connection.ts';
import { countWaiting, countWaitingOfKey } from '../store/jobs/count.ts';

/** How many jobs may wait, of a key and of all. */
export interface BacklogLimit {
  /** Throws the 429 or 503 when there is surely no place; takes none. */
  refuseWhenFull(keyId: KeyId): Promise<void>;
  /** Lets `insert` put one job into a place of its own, or throws as above. It says whether it did. */
  reserve<T extends { readonly kind: string }>(keyId: KeyId, insert: () => Promise<T>): Promise<T>;
}

export interface BacklogLimitDependencies {
  readonly db: Statements;
  readonly clock: Clock;
  readonly limits: BacklogBounds;
  /** Whether other processes insert jobs, too. */
  readonly hasSiblingProcesses: boolean;
}

/** How old a count of the database may be when it decides. */
const countMaxAgeMs = 1 * seconds;
/** All jobs are many: counting them is no matter of every second. */
const totalCountMaxAgeMs = 10 * seconds;
const maxKeysRemembered = 10_000;

/** Never less than what waits, but for what neighbours inserted since it was counted. */
interface BacklogCount {
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
export function openBacklogLimit({
  db,
  clock,
  limits,
  hasSiblingProcesses,
}: BacklogLimitDependencies): BacklogLimit {
  const byKey = new Map<KeyId, BacklogCount>();
  const ofAll = newBacklogCount(limits.inAll, totalCountMaxAgeMs, upTo => countWaiting(db, upTo));

  function tallyOf(keyId: KeyId): BacklogCount {
    const known = byKey.get(keyId);
    if (known) return known;
    if (byKey.size >= maxKeysRemembered) byKey.clear();
    const fresh = newBacklogCount(limits.perKey, countMaxAgeMs, upTo => countWaitingOfKey(db, keyId, upTo));
    byKey.set(keyId, fresh);
    return fresh;
  }

  /** Alone, what was counted and inserted since can only be too much: it is counted again once that refuses. */
  function isTrusted(tally: BacklogCount): boolean {
    const isFresh = clock.now() - tally.countedAt < tally.lifeMs;
    return isFresh || (!hasSiblingProcesses && tally.countedAt > 0 && tally.waiting < tally.limit);
  }

  async function bring(tally: BacklogCount): Promise<void> {
    if (isTrusted(tally)) return;
    tally.counting ??= count(tally).finally(() => (tally.counting = null));
    await tally.counting;
  }

  async function count(tally: BacklogCount): Promise<void> {
    const { inserting, begun } = tally;
    const countedAt = clock.now();
    const counted = await tally.read(tally.limit);
    // Of those who were at it meanwhile nobody knows whether the count saw them.
    tally.waiting = counted + inserting + (tally.begun - begun);
    tally.countedAt = countedAt;
  }

  async function bringTallies(keyId: KeyId): Promise<readonly [ofKey: BacklogCount, ofAll: BacklogCount]> {
    const ofKey = tallyOf(keyId);
    for (const each of [ofKey, ofAll]) await bring(each);
    return [ofKey, ofAll];
  }

  return {
    refuseWhenFull: async keyId => refuseFull(await bringTallies(keyId)),
    async reserve(keyId, insert) {
      const both = await bringTallies(keyId);
      // Nothing may come between looking and taking.
      refuseFull(both);
      for (const each of both) beginInsert(each);
      let isInserted = false;
      try {
        const insertion = await insert();
        isInserted = insertion.kind === 'inserted';
        return insertion;
      } finally {
        for (const each of both) endInsert(each, isInserted);
      }
    },
  };
}

function refuseFull([ofKey, ofAll]: readonly [ofKey: BacklogCount, ofAll: BacklogCount]): void {
  if (ofKey.waiting >= ofKey.limit) throw refuse('waiting_of_key_full', jitteredRetryAfter());
  if (ofAll.waiting >= ofAll.limit) throw refuse('waiting_full', jitteredRetryAfter());
}

const newBacklogCount = (limit: number, lifeMs: number, read: BacklogCount['read']): BacklogCount => ({
  limit,
  lifeMs,
  read,
  waiting: 0,
  inserting: 0,
  begun: 0,
  countedAt: 0,
  counting: null,
});

function beginInsert(tally: BacklogCount): void {
  tally.waiting++;
  tally.inserting++;
  tally.begun++;
}

function endInsert(tally: BacklogCount, isInserted: boolean): void {
  tally.inserting--;
  if (!isInserted) tally.waiting--;
}
