/** Kills and freezes random processes of a gateway under load, and starts each of them again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { minutes, seconds } from '../../src/domain/clock.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { text } from '../../src/store/db/rows.ts';
import { openRandom } from '../random.ts';
import type { Fleet, Member } from './fleet.ts';

export interface KillOptions {
  readonly fleet: Fleet;
  readonly db: Connection;
  /** Ends after so many kills. */
  readonly kills: number;
  /** The same seed gives the same random numbers; the processes' own timing still differs. */
  readonly seed: number;
  /** Of `performance.now()`: no kill after it. */
  readonly endsAt: number;
  /** True once something else failed: no process is started any more. */
  readonly isOver: () => boolean;
  readonly onProgress: (line: string) => void;
}

export interface Losses {
  readonly kills: number;
  readonly freezes: number;
  /** Frozen workers whose jobs were requeued by another process before they continued. */
  readonly overtaken: number;
}

/** How long a process lives once it answers. */
const shortestLifeMs = 20;
const longestLifeMs = 800;
/** This share of lives is long, so that a backlog is worked off. */
const longLifeShare = 0.08;
const longLifeMs = 4 * seconds;
/** This share of kills is followed by another one while the process starts. */
const killDuringStartShare = 0.08;
/** This share of victims is frozen instead, as by a long pause of the machine. */
const freezeShare = 0.08;
const freezeMs = 1_500;
const longestFreezeMs = 40 * seconds;
/** For this share of kills the lease expires at once; for the others by time, or at the next start of the process. */
const expiredLeaseShare = 0.5;
const pollMs = 20;
const killsPerProgressLine = 50;

/** What `killProcesses` keeps while it runs. */
interface Run extends KillOptions {
  readonly random: () => number;
  readonly starting: Set<Promise<void>>;
  readonly frozen: Set<Promise<void>>;
  /** Ids of `workers` rows that were assigned to a member before. */
  readonly knownWorkers: Set<string>;
  /** Failed starts: the first one fails the run. */
  readonly failures: unknown[];
  readonly losses: { kills: number; freezes: number; overtaken: number };
}

/** Kills a process at a random moment, again and again, and starts it anew; resolves when all run again. */
export async function killProcesses(options: KillOptions): Promise<Losses> {
  const run: Run = {
    ...options,
    random: openRandom(options.seed),
    starting: new Set(),
    frozen: new Set(),
    knownWorkers: new Set(),
    failures: [],
    losses: { kills: 0, freezes: 0, overtaken: 0 },
  };
  const { losses, kills, endsAt, isOver, random } = run;
  await Promise.all(run.fleet.members.map(member => learnWorkerId(run, member)));

  while (losses.kills < kills && performance.now() < endsAt && !isOver()) {
    const victim = await chooseVictim(run);
    if (!victim) break;
    await sleep(lifeMs(random));
    if (victim.state !== 'up') continue;
    if (random() < freezeShare) {
      await startFreeze(run, victim);
      continue;
    }
    await kill(run, victim);
    await killDuringStart(run, victim);
  }
  await Promise.all([...run.starting, ...run.frozen]);
  if (run.failures.length > 0) throw run.failures[0];
  return losses;
}

function lifeMs(random: () => number): number {
  const isLong = random() < longLifeShare;
  return isLong ? longLifeMs : shortestLifeMs + random() * (longestLifeMs - shortestLifeMs);
}

/** A random process that is up, while enough others of its role are; null once the run is over. */
async function chooseVictim({ fleet, isOver, random, failures }: Run): Promise<Member | null> {
  while (!isOver()) {
    const up = fleet.members.filter(({ state }) => state === 'up');
    const workers = up.filter(({ role }) => role === 'worker').length;
    const isEnough = fleet.members.length === 1 ? up.length === 1 : workers > 1 && up.length > workers;
    const found = up[Math.floor(random() * up.length)];
    if (isEnough && found) return found;
    if (failures.length > 0) throw failures[0];
    await sleep(pollMs);
  }
  return null;
}

/** Kills the process, and begins to start it again unless the run is over. */
async function kill(run: Run, victim: Member): Promise<void> {
  const { fleet, db, kills, losses, random } = run;
  const { workerId } = victim;
  await fleet.kill(victim);
  if (run.isOver()) return;
  losses.kills++;
  if (losses.kills % killsPerProgressLine === 0) run.onProgress(`${losses.kills} of ${kills} kills`);
  if (workerId !== null && random() < expiredLeaseShare) await expireLease(db, workerId);
  // Crash quarantine would fail nearly every job here, and has tests of its own: half of the jobs are exempt.
  await db.write(
    `UPDATE jobs SET deaths = 0 WHERE deaths > 0 AND state IN ('available', 'running') AND substr(id, 36) < '8'`,
  );
  const start = fleet
    .start(victim)
    .then(() => learnWorkerId(run, victim))
    .catch((failure: unknown) => void run.failures.push(failure))
    .finally(() => run.starting.delete(start));
  run.starting.add(start);
}

async function killDuringStart(run: Run, victim: Member): Promise<void> {
  while (run.random() < killDuringStartShare && run.losses.kills < run.kills) {
    await sleep(run.random() * 500);
    if (isStarting(victim)) await kill(run, victim);
  }
}

const isStarting = ({ state }: Member): boolean => state === 'starting';

/** Freezes the process in the background; a fleet of one waits for the end, as there is no other victim. */
async function startFreeze(run: Run, victim: Member): Promise<void> {
  run.losses.freezes++;
  const freeze = freezeUntilOvertaken(run, victim).finally(() => run.frozen.delete(freeze));
  run.frozen.add(freeze);
  if (run.fleet.members.length === 1) await freeze;
}

/** Stops the process until another one requeued its jobs, where there is another; then lets it continue unaware. */
async function freezeUntilOvertaken({ fleet, db, losses }: Run, victim: Member): Promise<void> {
  const { workerId } = victim;
  fleet.freeze(victim);
  if (workerId === null) await sleep(freezeMs);
  else {
    await expireLease(db, workerId);
    const wakesAt = performance.now() + longestFreezeMs;
    while ((await isRegistered(db, workerId)) && performance.now() < wakesAt) await sleep(pollMs);
    if (!(await isRegistered(db, workerId))) losses.overtaken++;
    victim.workerId = null;
  }
  fleet.thaw(victim);
}

/** Where several processes share a database, each worker has a row whose heartbeat is the lease of its jobs. */
async function learnWorkerId({ fleet, db, knownWorkers }: Run, member: Member): Promise<void> {
  if (member.role !== 'worker' || member.state !== 'up') return;
  const rows = await db.read('SELECT id FROM workers ORDER BY started_at DESC');
  const taken = new Set(fleet.members.map(({ workerId }) => workerId));
  const fresh = rows.map(row => text(row, 'id')).find(id => !knownWorkers.has(id) && !taken.has(id));
  if (fresh === undefined) return;
  knownWorkers.add(fresh);
  member.workerId = fresh;
}

/** Moves the heartbeat back, as if the lease had run out by time. */
async function expireLease(db: Connection, workerId: string): Promise<void> {
  await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1 WHERE id = $2', [
    1 * minutes,
    workerId,
  ]);
}

async function isRegistered(db: Connection, workerId: string): Promise<boolean> {
  return (await db.read('SELECT id FROM workers WHERE id = $1', [workerId])).length > 0;
}
