/**
 * A simulation of the queue of one model with its admission limits, in memory and with a simulated clock: how long a user
 * with few jobs waits while others create as many as the limits admit. The rule of ranks is that of src/store/jobs/insert.ts.
 */
import { openRateLimit } from '../../src/admission/rate-limit.ts';
import { minutes, seconds } from '../../src/domain/clock.ts';
import type { KeyId } from '../../src/domain/ids.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { figure, machine, percentile, printRow, printTitles } from '../../testkit/figures.ts';
import { openRandom } from '../../testkit/random.ts';

const users = 1_000_000;
const slots = 60_000;
/** Run times are distributed evenly between these. */
const [shortestRunMs, longestRunMs] = [30 * seconds, 90 * seconds];
const meanRunMs = (shortestRunMs + longestRunMs) / 2;
/** Of all users but the flooders: four fifths of the capacity of the slots. */
const createsPerSecond = 800;
const floodCreatesPerSecond = 250;
const perKey = 100_000;
const total = 1_000_000;
const simulatedMs = 12 * minutes;
/** Until then slots and queue fill up. */
const measuredFromMs = 6 * minutes;
/** Jobs that are created later have too little time to start. */
const measuredToMs = 10 * minutes;
const nameWidth = 40;
const seed = 20_260_101;

type Order = 'fair' | 'first come';

/** How many users flood, and the order of the queue. */
interface Scenario {
  readonly flooders: number;
  readonly order: Order;
}

/** Milliseconds that measured jobs waited, infinite for those that never started; and refused creates. */
interface Waits {
  readonly small: number[];
  readonly flood: number[];
  smallRefused: number;
  floodRefused: number;
}

console.log(machine());
console.log(
  `${figure(users)} users, ${figure(slots)} slots, runs of ${shortestRunMs / seconds} to ${longestRunMs / seconds} s (${figure((slots / meanRunMs) * seconds)} jobs/s), ${createsPerSecond} creates/s by users of few jobs\n`,
);
printTitles('', ['wait p50, s', 'p99', 'longest', 'refused', "a flooder's p50"], nameWidth);
for (const [name, scenario] of [
  ['no user floods', { flooders: 0, order: 'fair' }],
  ['one floods', { flooders: 1, order: 'fair' }],
  ['one floods, first come first served', { flooders: 1, order: 'first come' }],
  ['eight flood', { flooders: 8, order: 'fair' }],
  ['eight flood, first come first served', { flooders: 8, order: 'first come' }],
  ['twenty flood: the backlog limit is reached', { flooders: 20, order: 'fair' }],
] as const) {
  const { small, flood, smallRefused } = simulate(scenario);
  const waited = (waits: readonly number[], percent: number) => {
    const value = percentile(waits, percent) / seconds;
    if (Number.isNaN(value)) return '–';
    return Number.isFinite(value) ? figure(value, 2) : 'not started';
  };
  const share = figure((100 * smallRefused) / (small.length + smallRefused), 1);
  printRow(
    name,
    [waited(small, 50), waited(small, 99), waited(small, 100), `${share} %`, waited(flood, 50)],
    nameWidth,
  );
}

/** Millisecond by millisecond: slots become free, creates arrive, free slots start the front of the queue. */
function simulate({ flooders, order }: Scenario): Waits {
  const random = openRandom(seed);
  const waits: Waits = { small: [], flood: [], smallRefused: 0, floodRefused: 0 };
  const queue = openQueue(order);
  // The rate limiter expects epoch milliseconds, which are never 0.
  const epoch = Date.UTC(2026, 0, 1);
  let now = 0;
  const takeFromRate = openRateLimit(
    { perSecond: 200, burst: 2_000 },
    { now: () => epoch + now, sleep: async () => {} },
  );
  const endsAt = new Uint32Array(simulatedMs + longestRunMs + 1);
  let free = slots;
  let nextSmallAt = 0;
  let floods = 0;

  for (; now < simulatedMs; now++) {
    free += endsAt[now] ?? 0;
    while (nextSmallAt < now) {
      create(flooders + Math.floor(random() * users));
      nextSmallAt += (-Math.log(1 - random()) * seconds) / createsPerSecond;
    }
    const floodsByNow = (now * floodCreatesPerSecond * flooders) / seconds;
    while (floods < floodsByNow) create(floods++ % flooders);
    for (; free > 0 && queue.length() > 0; free--) start(queue.take());
  }
  while (queue.length() > 0) record(queue.take(), Number.POSITIVE_INFINITY);
  return waits;

  function create(user: number): void {
    if (!isRefused(user)) queue.add(user, now);
    else if (isMeasured(now)) waits[user < flooders ? 'floodRefused' : 'smallRefused']++;
  }

  function isRefused(user: number): boolean {
    if (queue.length() >= total || queue.waitingOf(user) >= perKey) return true;
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
    record(job, now - job.createdAt);
  }

  function record({ user, createdAt }: Job, waitedMs: number): void {
    if (isMeasured(createdAt)) waits[user < flooders ? 'flood' : 'small'].push(waitedMs);
  }
}

/** Only jobs that were created in the steady phase count. */
function isMeasured(at: number): boolean {
  return at >= measuredFromMs && at < measuredToMs;
}

/** A job as the queue orders it. */
interface Job {
  readonly user: number;
  readonly rank: number;
  /** In place of the id: ids ascend. */
  readonly number: number;
  readonly createdAt: number;
}

/** What the queue knows of one user. */
interface UserQueue {
  waiting: number;
  lastRank: number;
}

/** A heap ordered by (rank, number). */
function openQueue(order: Order) {
  const heap: Job[] = [];
  const byUser = new Map<number, UserQueue>();
  let added = 0;

  const isBefore = (a: Job, b: Job): boolean => a.rank < b.rank || (a.rank === b.rank && a.number < b.number);
  const at = (place: number): Job => {
    const job = heap[place];
    if (!job) throw new Error(`expected a job at ${place}`);
    return job;
  };

  /** Behind the waiting jobs of the same user, never before the front of the queue. */
  function rankFor(user: number): number {
    if (order === 'first come') return 0;
    const front = heap[0]?.rank;
    const last = byUser.get(user)?.lastRank;
    return Math.max(front ?? 0, last === undefined ? 0 : last + 1);
  }

  /** Appends the job and moves it up the heap. */
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

  /** Moves the job down from the root of the heap. */
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
    waitingOf: (user: number) => byUser.get(user)?.waiting ?? 0,
    add(user: number, createdAt: number) {
      const rank = rankFor(user);
      byUser.set(user, { waiting: (byUser.get(user)?.waiting ?? 0) + 1, lastRank: rank });
      rise({ user, rank, number: added++, createdAt });
    },
    take(): Job {
      const first = at(0);
      const last = heap.pop();
      if (last && heap.length > 0) sink(last);
      const { waiting, lastRank } = byUser.get(first.user) ?? { waiting: 1, lastRank: 0 };
      if (waiting === 1) byUser.delete(first.user);
      else byUser.set(first.user, { waiting: waiting - 1, lastRank });
      return first;
    },
  };
}
