/** The part of a chaos run that kills and freezes processes at random moments and starts them again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { minutes, seconds } from '../../src/domain/clock.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { text } from '../../src/store/db/rows.ts';
import { openRandom } from '../random.ts';
import type { Fleet, Member } from './fleet.ts';

export interface KillWanted {
  readonly fleet: Fleet;
  readonly db: Connection;
  readonly kills: number;
  readonly seed: number;
  /** Of `performance.now()`. */
  readonly endsAt: number;
  /** Something else failed: nobody is started any more. */
  readonly isOver: () => boolean;
  readonly onProgress: (line: string) => void;
}

export interface Losses {
  readonly kills: number;
  readonly freezes: number;
  /** The rows by which jobs of frozen processes became others' before these woke. */
  readonly overtaken: number;
}

/** How long a process lives once it answers. */
const shortestLifeMs = 20;
const longestLifeMs = 800;
/** One life in so many is long: what piled up gets on. */
const longLifeShare = 0.08;
const longLifeMs = 4 * seconds;
/** One kill in so many comes while the process starts. */
const earlyShare = 0.08;
/** One in so many is frozen instead, as by a long pause of its machine. */
const freezeShare = 0.08;
const freezeMs = 1_500;
const longestFreezeMs = 40 * seconds;
/** Half of the dead are found by their lease alone. */
const agedShare = 0.5;
const lookEveryMs = 20;
const tellEvery = 50;

/** What a run of kills knows between two of them. */
interface Killing extends Pick<KillWanted, 'fleet' | 'db' | 'kills' | 'isOver' | 'onProgress'> {
  readonly random: () => number;
  readonly starting: Set<Promise<void>>;
  readonly frozen: Set<Promise<void>>;
  /** Ids of every row of a worker that was seen. */
  readonly known: Set<string>;
  /** Starts that failed. */
  readonly failures: unknown[];
  killed: number;
  freezes: number;
  overtaken: number;
}

/** Kills a process at a random moment, again and again, and starts it anew. */
export async function killThem({ seed, endsAt, ...wanted }: KillWanted): Promise<Losses> {
  const state: Killing = {
    ...wanted,
    random: openRandom(seed),
    starting: new Set(),
    frozen: new Set(),
    known: new Set(),
    failures: [],
    killed: 0,
    freezes: 0,
    overtaken: 0,
  };
  const { fleet, kills, isOver, random, starting, frozen, failures } = state;
  await Promise.all(fleet.members.map(member => learnName(state, member)));

  while (state.killed < kills && performance.now() < endsAt && !isOver()) {
    const victim = await next(state);
    if (!victim) break;
    const isLong = random() < longLifeShare;
    await sleep(isLong ? longLifeMs : shortestLifeMs + random() * (longestLifeMs - shortestLifeMs));
    if (victim.state !== 'up') continue;
    if (random() < freezeShare) {
      state.freezes++;
      const freeze = freezeOf(state, victim).finally(() => frozen.delete(freeze));
      frozen.add(freeze);
      // Alone, it leaves nobody to kill.
      if (fleet.members.length === 1) await freeze;
      continue;
    }
    await kill(state, victim);
    while (random() < earlyShare && state.killed < kills) {
      await sleep(random() * 500);
      if (isStarting(victim)) await kill(state, victim);
    }
  }
  await Promise.all([...starting, ...frozen]);
  if (failures.length > 0) throw failures[0];
  return { kills: state.killed, freezes: state.freezes, overtaken: state.overtaken };
}

async function kill(state: Killing, victim: Member): Promise<void> {
  const { fleet, db, kills, isOver, onProgress, random, starting, failures } = state;
  const { workerId } = victim;
  await fleet.kill(victim);
  if (isOver()) return;
  state.killed++;
  if (state.killed % tellEvery === 0) onProgress(`${state.killed} of ${kills} kills`);
  if (workerId !== null && random() < agedShare) await ageLease(db, workerId);
  // Quarantine would close nearly every job here, and has tests of its own: half of the jobs are spared it.
  await db.write(
    `UPDATE jobs SET deaths = 0 WHERE deaths > 0 AND state IN ('available', 'running') AND substr(id, 36) < '8'`,
  );
  const start = fleet
    .start(victim)
    .then(() => learnName(state, victim))
    .catch((failure: unknown) => void failures.push(failure))
    .finally(() => starting.delete(start));
  starting.add(start);
}

/** Somebody who is up, while enough others are; null once it is over. */
async function next({ fleet, isOver, random, failures }: Killing): Promise<Member | null> {
  while (!isOver()) {
    const up = fleet.members.filter(({ state }) => state === 'up');
    const workers = up.filter(({ role }) => role === 'worker').length;
    const isEnough = fleet.members.length === 1 ? up.length === 1 : workers > 1 && up.length > workers;
    const found = up[Math.floor(random() * up.length)];
    if (isEnough && found) return found;
    if (failures.length > 0) throw failures[0];
    await sleep(lookEveryMs);
  }
  return null;
}

/** Where several share a database, each has a row by which it holds jobs. */
async function learnName({ fleet, db, known }: Killing, member: Member): Promise<void> {
  if (member.role !== 'worker' || member.state !== 'up') return;
  const rows = await db.read('SELECT id FROM workers ORDER BY started_at DESC');
  const taken = new Set(fleet.members.map(({ workerId }) => workerId));
  const fresh = rows.map(row => text(row, 'id')).find(id => !known.has(id) && !taken.has(id));
  if (fresh === undefined) return;
  known.add(fresh);
  member.workerId = fresh;
}

/** Stopped until another took over what it held, where there is another; then it goes on as if nothing was. */
async function freezeOf(state: Killing, victim: Member): Promise<void> {
  const { fleet, db } = state;
  const { workerId } = victim;
  fleet.freeze(victim);
  if (workerId === null) await sleep(freezeMs);
  else {
    await ageLease(db, workerId);
    const wakesAt = performance.now() + longestFreezeMs;
    while ((await isThere(db, workerId)) && performance.now() < wakesAt) await sleep(lookEveryMs);
    if (!(await isThere(db, workerId))) state.overtaken++;
    victim.workerId = null;
  }
  fleet.thaw(victim);
}

/** As time would. */
async function ageLease(db: Connection, workerId: string): Promise<void> {
  await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1 WHERE id = $2', [
    1 * minutes,
    workerId,
  ]);
}

async function isThere(db: Connection, workerId: string): Promise<boolean> {
  return (await db.read('SELECT id FROM workers WHERE id = $1', [workerId])).length > 0;
}

const isStarting = ({ state }: Member): boolean => state === 'starting';
