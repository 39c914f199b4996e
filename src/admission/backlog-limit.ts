/** The backlog limit: how many jobs may wait, of each key and of all keys. */
import { jitteredRetryAfter } from '../body/retry-after.ts';
import { type Clock, seconds } from '../domain/clock.ts';
import type { KeyId } from '../domain/ids.ts';
import type { BacklogBounds } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';
import type { Statements } from '../store/db/connection.ts';
import { countWaiting, countWaitingOfKey } from '../store/jobs/count.ts';

export interface BacklogLimit {
  /** Throws the 429 or 503 of a full backlog; occupies no slot. Null where nothing had to be counted. */
  refuseWhenFull(keyId: KeyId): Promise<void> | null;
  /** Occupies a slot for one insert, or throws as above. A promise only where something has to be counted. */
  openSlot(keyId: KeyId): BacklogSlot | Promise<BacklogSlot>;
}

/** The room of one job. */
export interface BacklogSlot {
  /** The job was inserted. */
  fill(): void;
  /** The insert is over; the room is free again, unless it was filled. To be called once. */
  close(): void;
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
/** The jobs of all keys are many, so they are counted less often. */
const totalCountMaxAgeMs = 10 * seconds;
/** Counts in memory; beyond that all are dropped, and each is read again when it is needed. */
const maxKeysRemembered = 10_000;

/** Never less than the number of waiting jobs, except for what sibling processes inserted since it was counted. */
interface BacklogCount {
  readonly limit: number;
  /** How long the count may decide. */
  readonly lifeMs: number;
  readonly read: (upTo: number) => Promise<number>;
  /** Waiting jobs and inserts in progress; jobs that left the backlog since the count are still included. */
  waiting: number;
  inserting: number;
  /** Inserts started since the process began. */
  started: number;
  countedAt: number;
  counting: Promise<void> | null;
}

/** A creation has to fit into both. */
type BothCounts = readonly [ofKey: BacklogCount, ofAll: BacklogCount];

/** Counts in the database now and then, and adds what this process inserts in between. */
export function openBacklogLimit({
  db,
  clock,
  limits,
  hasSiblingProcesses,
}: BacklogLimitDependencies): BacklogLimit {
  const byKey = new Map<KeyId, BacklogCount>();
  const ofAll = newBacklogCount(limits.inAll, totalCountMaxAgeMs, upTo => countWaiting(db, upTo));

  function countsFor(keyId: KeyId): BothCounts {
    const known = byKey.get(keyId);
    if (known) return [known, ofAll];
    if (byKey.size >= maxKeysRemembered) byKey.clear();
    const fresh = newBacklogCount(limits.perKey, countMaxAgeMs, upTo => countWaitingOfKey(db, keyId, upTo));
    byKey.set(keyId, fresh);
    return [fresh, ofAll];
  }

  /** A process without siblings can only overestimate: it counts again once the old count would refuse. */
  function isTrusted(count: BacklogCount): boolean {
    const isFresh = clock.now() - count.countedAt < count.lifeMs;
    return isFresh || (!hasSiblingProcesses && count.countedAt > 0 && count.waiting < count.limit);
  }

  const areTrusted = ([ofKey, ofEvery]: BothCounts): boolean => isTrusted(ofKey) && isTrusted(ofEvery);

  async function refresh(counts: BothCounts): Promise<void> {
    for (const count of counts) {
      if (isTrusted(count)) continue;
      count.counting ??= recount(count, clock.now()).finally(() => (count.counting = null));
      await count.counting;
    }
  }

  return {
    refuseWhenFull(keyId) {
      const counts = countsFor(keyId);
      if (!areTrusted(counts)) return refresh(counts).then(() => refuseFull(counts));
      refuseFull(counts);
      return null;
    },
    openSlot(keyId) {
      const counts = countsFor(keyId);
      return areTrusted(counts) ? occupySlot(counts) : refresh(counts).then(() => occupySlot(counts));
    },
  };
}

async function recount(count: BacklogCount, now: number): Promise<void> {
  const { inserting, started } = count;
  const counted = await count.read(count.limit);
  // Inserts that ran meanwhile may or may not be in the number read; they are added to stay on the safe side.
  count.waiting = counted + inserting + (count.started - started);
  count.countedAt = now;
}

function refuseFull([ofKey, ofAll]: BothCounts): void {
  if (ofKey.waiting >= ofKey.limit) throw refuse('waiting_of_key_full', jitteredRetryAfter());
  if (ofAll.waiting >= ofAll.limit) throw refuse('waiting_full', jitteredRetryAfter());
}

/** Throws where one of them is full: nothing is awaited between this check and the start of the insert. */
function occupySlot(counts: BothCounts): BacklogSlot {
  refuseFull(counts);
  let isFilled = false;
  for (const count of counts) {
    count.waiting++;
    count.inserting++;
    count.started++;
  }
  return {
    fill() {
      isFilled = true;
    },
    close() {
      for (const count of counts) {
        count.inserting--;
        if (!isFilled) count.waiting--;
      }
    },
  };
}

const newBacklogCount = (limit: number, lifeMs: number, read: BacklogCount['read']): BacklogCount => ({
  limit,
  lifeMs,
  read,
  waiting: 0,
  inserting: 0,
  started: 0,
  countedAt: 0,
  counting: null,
});
