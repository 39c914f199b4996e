/**
 * The line of one model and the limits on the way to it, played in memory with a clock of its own: how long a
 * user of few jobs waits while others send all that they are let. The rule of ranks is that of store/jobs.ts.
 */
import { openRateLimit } from '../../src/admission/rate-limit.ts';
import { minutes, seconds } from '../../src/domain/clock.ts';
import type { KeyId } from '../../src/domain/ids.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { figure, machine, percentile, printRow, printTitles } from '../../testkit/figures.ts';
import { openRandom } from '../../testkit/random.ts';

const users = 1_000_000;
const slots = 60_000;
/** Any length between these is as likely. */
const [shortestRunMs, longestRunMs] = [30 * seconds, 90 * seconds];
const middleRunMs = (shortestRunMs + longestRunMs) / 2;
/** Of everybody but the flooders together: four fifths of what the slots can do. */
const createsPerSecond = 800;
const floodTriesPerSecond = 250;
const perKey = 100_000;
const inAll = 1_000_000;
const playedMs = 12 * minutes;
/** Before that the slots fill up, and the line where it does. */
const measuredFromMs = 6 * minutes;
/** Who comes later has too little time left. */
const measuredToMs = 10 * minutes;
const nameWidth = 40;
const seed = 20_260_101;

type Order = 'fair' | 'first come';

interface Scene {
  readonly flooders: number;
  readonly order: Order;
}

interface Waits {
  readonly small: number[];
  readonly flood: number[];
  smallRefused: number;
  floodRefused: number;
}

console.log(machine());
console.log(
  `${figure(users)} users, ${figure(slots)} slots, runs of ${shortestRunMs / seconds} to ${longestRunMs / seconds} s (${figure((slots / middleRunMs) * seconds)} jobs/s), ${createsPerSecond} creates/s by users of few jobs\n`,
);
printTitles('', ['wait p50, s', 'p99', 'longest', 'refused', "a flooder's p50"], nameWidth);
for (const [name, scene] of [
  ['nobody floods', { flooders: 0, order: 'fair' }],
  ['one floods', { flooders: 1, order: 'fair' }],
  ['one floods, first come first served', { flooders: 1, order: 'first come' }],
  ['eight flood', { flooders: 8, order: 'fair' }],
  ['eight flood, first come first served', { flooders: 8, order: 'first come' }],
  ['twenty flood: all places are taken', { flooders: 20, order: 'fair' }],
] as const) {
  const { small, flood, smallRefused } = play(scene);
  const told = (waits: readonly number[], percent: number) => {
    const waited = percentile(waits, percent) / seconds;
    if (Number.isNaN(waited)) return '–';
    return Number.isFinite(waited) ? figure(waited, 2) : 'not started';
  };
  const share = figure((100 * smallRefused) / (small.length + smallRefused), 1);
  printRow(
    name,
    [told(small, 50), told(small, 99), told(small, 100), `${share} %`, told(flood, 50)],
    nameWidth,
  );
}

/** Millisecond by millisecond: slots come free, creates arrive, free slots take the front of the line. */
function play({ flooders, order }: Scene): Waits {
  const random = openRandom(seed);
  const waits: Waits = { small: [], flood: [], smallRefused: 0, floodRefused: 0 };
  const line = openLine(order);
  // A clock of epoch milliseconds never stands at 0.
  const epoch = Date.UTC(2026, 0, 1);
  let now = 0;
  const takeFromRate = openRateLimit(
    { perSecond: 200, burst: 2_000 },
    { now: () => epoch + now, sleep: async () => {} },
  );
  const endsAt = new Uint32Array(playedMs + longestRunMs + 1);
  let free = slots;
  let nextSmallAt = 0;
  let floods = 0;

  for (; now < playedMs; now++) {
    free += endsAt[now] ?? 0;
    while (nextSmallAt < now) {
      create(flooders + Math.floor(random() * users));
      nextSmallAt += (-Math.log(1 - random()) * seconds) / createsPerSecond;
    }
    const floodsByNow = (now * floodTriesPerSecond * flooders) / seconds;
    while (floods < floodsByNow) create(floods++ % flooders);
    for (; free > 0 && line.length() > 0; free--) start(line.take());
  }
  while (line.length() > 0) note(line.take(), Number.POSITIVE_INFINITY);
  return waits;

  function create(user: number): void {
    if (!isRefused(user)) line.add(user, now);
    else if (isMeasured(now)) waits[user < flooders ? 'floodRefused' : 'smallRefused']++;
  }

  function isRefused(user: number): boolean {
    if (line.length() >= inAll || line.waitingOf(user) >= perKey) return true;
    try {
      takeFromRate(`key_${user}` as KeyId);
      return false;
    } catch (failure) {
      if (failure instanceof Refusal) return true;
      throw failure;
    }
  }

  function start(job: Job): void {
    const endsAfterMs = shortestRunMs + Math.floor(random() * (longestRunMs - shortestRunMs));
    endsAt[now + endsAfterMs] = (endsAt[now + endsAfterMs] ?? 0) + 1;
    note(job, now - job.createdAt);
  }

  function note({ user, createdAt }: Job, waitedMs: number): void {
    if (isMeasured(createdAt)) waits[user < flooders ? 'flood' : 'small'].push(waitedMs);
  }
}

function isMeasured(at: number): boolean {
  return at >= measuredFromMs && at < measuredToMs;
}

interface Job {
  readonly user: number;
  readonly rank: number;
  /** Stands for the id: ids grow. */
  readonly number: number;
  readonly createdAt: number;
}

interface Own {
  waiting: number;
  lastRank: number;
}

/** A heap by (rank, number). */
function openLine(order: Order) {
  const heap: Job[] = [];
  const own = new Map<number, Own>();
  let added = 0;

  const isBefore = (a: Job, b: Job): boolean => a.rank < b.rank || (a.rank === b.rank && a.number < b.number);
  const at = (place: number): Job => {
    const job = heap[place];
    if (!job) throw new Error(`expected a job at ${place}`);
    return job;
  };

  /** Behind the user's own waiting jobs, never before the front of the line. */
  function rankFor(user: number): number {
    if (order === 'first come') return 0;
    const front = heap[0]?.rank;
    const last = own.get(user)?.lastRank;
    return Math.max(front ?? 0, last === undefined ? 0 : last + 1);
  }

  function rise(job: Job): void {
    let place = heap.length;
    heap.push(job);
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (isBefore(at(above), job)) break;
      heap[place] = at(above);
      place = above;
    }
    heap[place] = job;
  }

  function sink(job: Job): void {
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(at(below + 1), at(below))) below++;
      if (isBefore(job, at(below))) break;
      heap[place] = at(below);
      place = below;
    }
    heap[place] = job;
  }

  return {
    length: () => heap.length,
    waitingOf: (user: number) => own.get(user)?.waiting ?? 0,
    add(user: number, createdAt: number) {
      const rank = rankFor(user);
      own.set(user, { waiting: (own.get(user)?.waiting ?? 0) + 1, lastRank: rank });
      rise({ user, rank, number: added++, createdAt });
    },
    take(): Job {
      const first = at(0);
      const last = heap.pop();
      if (last && heap.length > 0) sink(last);
      const { waiting, lastRank } = own.get(first.user) ?? { waiting: 1, lastRank: 0 };
      if (waiting === 1) own.delete(first.user);
      else own.set(first.user, { waiting: waiting - 1, lastRank });
      return first;
    },
  };
}
