/**
 * What is done with a job while very many wait, half of them on one model, through the store's own functions in this
 * process. Rounds take turns between the depths, so that a busy moment of the machine hits all alike.
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
import { type GoalName, tell } from '../kit/goals.ts';
import { deepModel, newJob, openLine, type WaitingLine } from './waiting-line.ts';

const { rounds, times, most, databases } = readFlags({ rounds: 5, times: 40, most: 1_000_000 });
const depths = [1_000, 100_000, 1_000_000].filter(depth => depth <= most);
const together = 64;
const claimed = 32;
const quickTimes = 25;
const nameWidth = 40;
const account = { id: 'studio', slots: 1_000_000, rate: null };
const modelIds = models.map(model => model.id);

/** One operation; `after` puts the line in order again and is not measured. */
interface Operation {
  readonly name: string;
  readonly goal?: GoalName;
  /** A read of microseconds: asked more often, so that it is not the first look at every page that is told. */
  readonly isQuick?: true;
  open(line: WaitingLine): { act(): Promise<unknown>; after?(): Promise<void> };
}

const operations: readonly Operation[] = [
  {
    name: 'create',
    goal: 'growthOfCreate',
    open: line => ({ act: () => create(line) }),
  },
  {
    name: `create, ${together} at once`,
    open: line => ({ act: () => Promise.all(Array.from({ length: together }, () => create(line))) }),
  },
  {
    name: 'which models have work',
    isQuick: true,
    open: line => ({ act: () => findClaimableModels(line.db, modelIds, Date.now()) }),
  },
  {
    name: 'status by id',
    goal: 'growthOfStatus',
    isQuick: true,
    open: line => ({
      async act() {
        const { id: jobId, userId, modelId } = line.any();
        if (!(await readJobSummary(line.db, { jobId, userId, modelId }))) throw new Error('expected a job');
      },
    }),
  },
  {
    name: 'position, anywhere in the line',
    goal: 'growthOfPosition',
    isQuick: true,
    open: line => {
      const positions = openQueuePositions(line.db, systemClock);
      return { act: () => positions.positionOf(line.any()) };
    },
  },
  {
    name: 'position, near the front',
    isQuick: true,
    open: line => {
      const positions = openQueuePositions(line.db, systemClock);
      return { act: () => positions.positionOf(line.front()) };
    },
  },
  {
    name: 'position, in a line never counted before',
    open: line => ({ act: () => openQueuePositions(line.db, systemClock).positionOf(line.any()) }),
  },
  // The last: it takes away the front that others ask for.
  {
    name: `claim of ${claimed}`,
    goal: 'growthOfClaim',
    open: line => {
      const worker = newWorkerId();
      const wanted = { worker, modelId: deepModel, limit: claimed, account, only: 'clean' } as const;
      return {
        async act() {
          const jobs = await claimJobs(line.db, { ...wanted, now: Date.now() });
          if (jobs.length !== claimed) throw new Error(`expected ${claimed} jobs, got ${jobs.length}`);
        },
        after: () => line.replace(worker, claimed),
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
  for (const [goal, share] of worst) tell(goal, share);
} finally {
  await globalTeardown();
}

async function measureAll(dialect: Dialect): Promise<void> {
  const lines: WaitingLine[] = [];
  try {
    for (const depth of depths) lines.push(await openLine(dialect, depth));
    console.log(`\n${dialect}\n`);
    const titles = depths.map(depth => `${figure(depth)} wait`);
    printTitles('', [...titles, 'how quick, first ÷ last'], nameWidth);
    for (const operation of operations) await printOperation(operation, lines);
  } finally {
    for (const line of lines) await line.close();
  }
}

async function printOperation(operation: Operation, lines: readonly WaitingLine[]): Promise<void> {
  const measured = lines.map(line => ({ ...operation.open(line), micros: [] as number[] }));
  const often = operation.isQuick ? times * quickTimes : times;
  // What is prepared and planned at the first time is no matter of the depth.
  for (const { act, after } of measured) await measure(often, act, after);
  for (let round = 0; round < rounds; round++)
    for (const { act, after, micros } of measured) micros.push(await measure(often, act, after));
  const [first = [], last = []] = [measured[0]?.micros, measured.at(-1)?.micros];
  const shares = first.map((micros, round) => micros / (last[round] ?? Number.NaN));
  printRow(operation.name, [...measured.map(({ micros }) => spread(micros)), spread(shares, 2)], nameWidth);
  if (operation.goal && depths.at(-1) === 1_000_000) note(operation.goal, percentile(shares, 50));
}

/** Of both databases the one that it grows more on. */
function note(goal: GoalName, share: number): void {
  worst.set(goal, Math.min(share, worst.get(goal) ?? Number.POSITIVE_INFINITY));
}

/** The middle of so many times, in microseconds. */
async function measure(
  often: number,
  act: () => Promise<unknown>,
  after?: () => Promise<void>,
): Promise<number> {
  const taken: number[] = [];
  for (let time = 0; time < often; time++) {
    const begun = performance.now();
    await act();
    taken.push((performance.now() - begun) * 1000);
    await after?.();
  }
  return percentile(taken, 50);
}

async function create({ db, anyKey }: WaitingLine): Promise<void> {
  const { kind } = await insertJob(db, newJob(anyKey()));
  if (kind !== 'inserted') throw new Error(`expected a new job, got ${kind}`);
}
