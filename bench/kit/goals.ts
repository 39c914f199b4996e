/** The goals of all benchmarks, and how a benchmark reports a figure to `npm run bench`. */
import { writeSync } from 'node:fs';

/** The bound of one figure. */
export interface Goal {
  /** The benchmark that measures it. */
  readonly program: string;
  /** What is measured, with its unit. */
  readonly title: string;
  readonly bound: 'at least' | 'at most';
  readonly value: number;
  /** Decimal places that are printed and compared. */
  readonly digits: number;
}

const goal = (program: string, title: string, bound: Goal['bound'], value: number, digits: number): Goal => ({
  program,
  title,
  bound,
  value,
  digits,
});
/** The ratio of two speeds: 1 is as fast with 10^6 waiting jobs as with 10^3. */
const depth = (title: string): Goal =>
  goal('queue-depth', `${title}: speed with 10^6 waiting jobs, of 10^3`, 'at least', 0.8, 2);
/** The processor time of a request, as a multiple of another one's in the same round. */
const cpu = (title: string, value: number): Goal =>
  goal('throughput', `processor time of ${title}`, 'at most', value, 1);

/** The processor time of a create that reserves its amount, of one that reserves nothing. */
const budget = (database: string): Goal =>
  goal(
    'throughput',
    `processor time of a create with a budget on ${database}, of one without`,
    'at most',
    1.15,
    2,
  );

/** In the order of the report. */
export const goals = {
  createOfFloor: cpu('a durable create on SQLite, of the floor', 1.7),
  createsOfAssembled: goal(
    'throughput',
    'durable creates/s on SQLite, of the faster assembled gateway',
    'at least',
    1.8,
    1,
  ),
  createOfSqlite: cpu('a durable create on PostgreSQL, with the database, of SQLite', 1.8),
  budgetOnSqlite: budget('SQLite'),
  budgetOnPostgres: budget('PostgreSQL'),
  statusOnSqlite: cpu('a status on SQLite, of the framework alone', 2.2),
  statusOnPostgres: cpu('a status on PostgreSQL, with the database, of the framework alone', 2.2),
  latencyOnSqlite: goal('job-latency', 'create to COMPLETED on SQLite, p50, ms', 'at most', 5, 1),
  latencyOnPostgres: goal('job-latency', 'create to COMPLETED on PostgreSQL, p50, ms', 'at most', 5, 1),
  lagBeyondPoll: goal(
    'completion-lag',
    'upstream end to COMPLETED, p99, beyond the poll interval, s',
    'at most',
    1,
    2,
  ),
  growthOfCreate: depth('create'),
  growthOfClaim: depth('claim of 32'),
  growthOfStatus: depth('status'),
  growthOfPosition: depth('position'),
  jobSearch: goal('job-search', 'search in the prompts of 10^6 jobs, slowest median, ms', 'at most', 300, 0),
  allResumed: goal('restart', 'restart with 10^5 jobs in flight: all resumed, s', 'at most', 10, 1),
  restartMemory: goal('restart', 'memory with 10^5 jobs in flight, MB', 'at most', 400, 0),
  uploadGrowth: goal('uploads', '8 concurrent uploads of 40 MiB: growth of memory, MB', 'at most', 32, 1),
  healthyReceivers: goal(
    'dead-receiver',
    "a dead receiver with 10^4 callbacks: others' p95, of without",
    'at most',
    2,
    1,
  ),
  fairness: goal('fairness', "user A floods: user B's median wait, of alone", 'at most', 2, 1),
  uploadsBesideHostile: goal(
    'overload',
    "300 hostile dry runs of one key: another user's upload, p99, of quiet",
    'at most',
    2,
    1,
  ),
  render: goal('render', 'render of 5 s of 720p, duration, of the ffmpeg command', 'at most', 1.3, 2),
} as const satisfies Record<string, Goal>;

export type GoalName = keyof typeof goals;

/** One measured figure, as a benchmark reports it. */
export interface Figure {
  readonly goal: GoalName;
  readonly value: number;
}

/** The environment variable with the file descriptor that figures are written to, a line of JSON each. */
export const figuresVariable = 'BENCH_FIGURES';

/** Reports the figure to `npm run bench`; does nothing in a program that was started without it. */
export function reportFigure(goal: GoalName, value: number): void {
  const descriptor = process.env[figuresVariable];
  if (descriptor !== undefined)
    writeSync(Number(descriptor), `${JSON.stringify({ goal, value } satisfies Figure)}\n`);
}
