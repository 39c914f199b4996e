/**
 * Operations of the store by the depth of the queue, up to a million waiting jobs, half of them on one model. In this
 * process, without HTTP. Rounds alternate between the depths, so that a busy moment of the machine affects all of them.
 */
import { models } from '../../src/catalog/index.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { newWorkerId } from '../../src/domain/ids.ts';
import { claimJobs, findClaimableModels } from '../../src/store/jobs/claim.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import { openQueuePositions } from '../../src/store/jobs/queue-position.ts';
import { readJobSummary } from '../../src/store/jobs/read.ts';
import type { Dialect } from '../../testkit/databases/databases.ts';
import { figure, machine, percentile, printRow, printTitles, spread } from '../../testkit/figures.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';
import { readFlags } from '../kit/flags.ts';
import { type GoalName, reportFigure } from '../kit/goals.ts';
import { deepModel, newJob, openWaitingJobs, type WaitingJobs } from './waiting-jobs.ts';

const { rounds, times, most, databases } = readFlags({ rounds: 5, times: 40, most: 1_000_000 });
const depths = [1_000, 100_000, 1_000_000].filter(depth => depth <= most);
const concurrent = 64;
const claimLimit = 32;
const quickTimes = 25;
const nameWidth = 40;
const account = { id: 'studio', slots: 1_000_000, rate: null };
const modelIds = models.map(model => model.id);

/** One operation; `after` restores the queue and is not measured. */
interface Operation {
  readonly name: string;
  readonly goal?: GoalName;
  /** A read of microseconds: repeated more often, so that reads of cold pages do not dominate. */
  readonly isQuick?: true;
  open(queue: WaitingJobs): { act(): Promise<unknown>; after?(): Promise<void> };
}

const operations: readonly Operation[] = [
  {
    name: 'create',
    goal: 'growthOfCreate',
    open: queue => ({ act: () => create(queue) }),
  },
  {
    name: `create, ${concurrent} concurrent`,
    open: queue => ({ act: () => Promise.all(Array.from({ length: concurrent }, () => create(queue))) }),
  },
  {
    name: 'which models have work',
    isQuick: true,
    open: queue => ({ act: () => findClaimableModels(queue.db, modelIds, Date.now()) }),
  },
  {
    name: 'status by id',
    goal: 'growthOfStatus',
    isQuick: true,
    open: queue => ({
      async act() {
        const { id: jobId, userId, modelId } = queue.any();
        if (!(await readJobSummary(queue.db, { jobId, userId, modelId }))) throw new Error('expected a job');
      },
    }),
  },
  {
    name: 'position, anywhere in the queue',
    goal: 'growthOfPosition',
    isQuick: true,
    open: queue => {
      const positions = openQueuePositions(queue.db, systemClock);
      return { act: () => positions.positionOf(queue.any()) };
    },
  },
  {
    name: 'position, near the front',
    isQuick: true,
    open: queue => {
      const positions = openQueuePositions(queue.db, systemClock);
      return { act: () => positions.positionOf(queue.front()) };
    },
  },
  {
    name: 'position, first count of a queue',
    open: queue => ({ act: () => openQueuePositions(queue.db, systemClock).positionOf(queue.any()) }),
  },
  // The last: it removes the front of the queue, which other operations read.
  {
    name: `claim of ${claimLimit}`,
    goal: 'growthOfClaim',
    open: queue => {
      const worker = newWorkerId();
      const wanted = { worker, modelId: deepModel, limit: claimLimit, account, only: 'clean' } as const;
      return {
        async act() {
          const jobs = await claimJobs(queue.db, { ...wanted, now: Date.now() });
          if (jobs.length !== claimLimit) throw new Error(`expected ${claimLimit} jobs, got ${jobs.length}`);
        },
        after: () => queue.replace(worker, claimLimit),
      };
    },
  },
];

console.log(machine());
console.log(
  `${rounds} rounds of ${times} times each, quick reads ${times * quickTimes}; medians (least–most), in microseconds`,
);
if (databases.includes('postgres')) await globalSetup();
const worst = new Map<GoalName, number>();
try {
  for (const dialect of databases) await measureAll(dialect);
  for (const [goal, share] of worst) reportFigure(goal, share);
} finally {
  await globalTeardown();
}

/** Fills a database for each depth and prints the table of all operations. */
async function measureAll(dialect: Dialect): Promise<void> {
  const queues: WaitingJobs[] = [];
  try {
    for (const depth of depths) queues.push(await openWaitingJobs(dialect, depth));
    console.log(`\n${dialect}\n`);
    const titles = depths.map(depth => `${figure(depth)} waiting`);
    printTitles('', [...titles, 'speed, last ÷ first depth'], nameWidth);
    for (const operation of operations) await printOperation(operation, queues);
  } finally {
    for (const queue of queues) await queue.close();
  }
}

/** Alternates between the depths round by round; prints the medians and the ratio of speeds. */
async function printOperation(operation: Operation, queues: readonly WaitingJobs[]): Promise<void> {
  const measured = queues.map(queue => ({ ...operation.open(queue), micros: [] as number[] }));
  const repeats = operation.isQuick ? times * quickTimes : times;
  // Warm-up: preparing and planning a statement does not depend on the depth.
  for (const { act, after } of measured) await measure(repeats, act, after);
  for (let round = 0; round < rounds; round++)
    for (const { act, after, micros } of measured) micros.push(await measure(repeats, act, after));
  const [first = [], last = []] = [measured[0]?.micros, measured.at(-1)?.micros];
  const shares = first.map((micros, round) => micros / (last[round] ?? Number.NaN));
  printRow(operation.name, [...measured.map(({ micros }) => spread(micros)), spread(shares, 2)], nameWidth);
  if (operation.goal && depths.at(-1) === 1_000_000) keepWorst(operation.goal, percentile(shares, 50));
}

/** Keeps the worse of both databases. */
function keepWorst(goal: GoalName, share: number): void {
  worst.set(goal, Math.min(share, worst.get(goal) ?? Number.POSITIVE_INFINITY));
}

/** The median of `repeats` runs, in microseconds. */
async function measure(
  repeats: number,
  act: () => Promise<unknown>,
  after?: () => Promise<void>,
): Promise<number> {
  const taken: number[] = [];
  for (let time = 0; time < repeats; time++) {
    const begun = performance.now();
    await act();
    taken.push((performance.now() - begun) * 1000);
    await after?.();
  }
  return percentile(taken, 50);
}

/** Inserts a job of a random user; throws where it was not inserted. */
async function create({ db, anyKey }: WaitingJobs): Promise<void> {
  const { kind } = await insertJob(db, newJob(anyKey()));
  if (kind !== 'inserted') throw new Error(`expected a new job, got ${kind}`);
}
