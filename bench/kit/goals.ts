/** The goals of every benchmark, and the report on whether they were met. */
import { writeSync } from 'node:fs';

/** What one figure of a benchmark is to be. */
export interface Goal {
  /** The program of this folder that finds it. */
  readonly program: string;
  readonly says: string;
  readonly bound: 'at least' | 'at most';
  readonly value: number;
  readonly digits: number;
}

const goal = (program: string, says: string, bound: Goal['bound'], value: number, digits: number): Goal => ({
  program,
  says,
  bound,
  value,
  digits,
});
const growth = (says: string): Goal =>
  goal('growth', `${says}: how quick with 10^6 waiting, of 10^3`, 'at least', 0.8, 2);

/** In the order in which they are told. */
export const goals = {
  createsOfBare: goal('http', 'durable creates/s on SQLite, of the framework alone', 'at least', 0.6, 2),
  createsOfAssembled: goal('http', 'the same, times the better of what is assembled', 'at least', 2, 1),
  createsOfSqlite: goal('http', 'durable creates/s on PostgreSQL, of SQLite', 'at least', 0.8, 2),
  statusesOnSqlite: goal('http', 'status/s on SQLite, of the framework alone', 'at least', 0.8, 2),
  statusesOnPostgres: goal('http', 'status/s on PostgreSQL, of the framework alone', 'at least', 0.8, 2),
  lifeOnSqlite: goal('life', 'whole life of a job on SQLite, p50, ms', 'at most', 5, 1),
  lifeOnPostgres: goal('life', 'whole life of a job on PostgreSQL, p50, ms', 'at most', 5, 1),
  lagBeyondPoll: goal('lag', 'end upstream to COMPLETED, p99, beyond the poll interval, s', 'at most', 1, 2),
  growthOfCreate: growth('create'),
  growthOfClaim: growth('claim of 32'),
  growthOfStatus: growth('status'),
  growthOfPosition: growth('position'),
  heldAgain: goal('fleet', 'restart with 10^5 in flight: all held again, s', 'at most', 10, 1),
  fleetMemory: goal('fleet', 'memory with 10^5 in flight, MB', 'at most', 400, 0),
  uploadGrowth: goal('uploads', '8 uploads of 40 MiB at once: growth of memory, MB', 'at most', 32, 1),
  healthyReceivers: goal(
    'receiver',
    "a dead receiver with 10^4 events: others' p95, of without",
    'at most',
    2,
    1,
  ),
  turns: goal('turns', "A floods: B's median wait, of alone", 'at most', 2, 1),
  uploadsBesideHostile: goal(
    'overload',
    "300 hostile dry runs of one key: another's upload, p99, of quiet",
    'at most',
    2,
    1,
  ),
  render: goal('render', '5 s of 720p, seconds, of the ffmpeg command', 'at most', 1, 2),
} as const satisfies Record<string, Goal>;

export type GoalName = keyof typeof goals;

/** A figure on its way from a benchmark to whoever runs it. */
export interface Found {
  readonly goal: GoalName;
  readonly value: number;
}

/** Names the open file that figures are written to, a line of JSON each. */
export const foundVariable = 'BENCH_FOUND';

/** Tells the figure to `npm run bench`; a program that was started by itself has nobody to tell. */
export function tell(goal: GoalName, value: number): void {
  const descriptor = process.env[foundVariable];
  if (descriptor !== undefined)
    writeSync(Number(descriptor), `${JSON.stringify({ goal, value } satisfies Found)}\n`);
}
