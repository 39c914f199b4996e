/**
 * Fair turns in the store: user A floods a model, then user B creates a few jobs. How many jobs start before each of B's,
 * compared with B alone. The wait is counted in starts, which do not depend on the speed of the machine.
 */
import { newWorkerId } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import { type Dialect, makeDatabase } from '../../testkit/databases/databases.ts';
import { figure, machine, percentile, printRow, printTitles } from '../../testkit/figures.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';
import { readFlags } from '../kit/flags.ts';
import { reportFigure } from '../kit/goals.ts';
import { deepModel, makeOwner, newJob, type Owner } from './waiting-jobs.ts';

const { flood, few, databases } = readFlags({ flood: 10_000, few: 200 });
const concurrentCreates = 64;
const nameWidth = 34;

console.log(machine());
console.log(`A has ${figure(flood)} jobs waiting, B creates ${figure(few)}\n`);
printTitles('jobs started before one of B', ['p50', 'p99', 'p50 / alone'], nameWidth);
const shares: number[] = [];
if (databases.includes('postgres')) await globalSetup();
try {
  for (const dialect of databases) await measure(dialect);
  reportFigure('fairness', Math.max(...shares));
} finally {
  await globalTeardown();
}

/** Runs B alone and beside A on one database, and prints both. */
async function measure(dialect: Dialect): Promise<void> {
  const alone = await waitsOfB(dialect, 0);
  const flooded = await waitsOfB(dialect, flood);
  const share = percentile(flooded, 50) / percentile(alone, 50);
  shares.push(share);
  print(`${dialect}, alone`, alone, 1);
  print(`${dialect}, A floods`, flooded, share);
}

/** For each job of B, how many jobs started before it. */
async function waitsOfB(dialect: Dialect, jobsOfA: number): Promise<readonly number[]> {
  const database = await makeDatabase(dialect);
  try {
    const db = await database.connect();
    await create(db, await makeOwner(db, 'A'), jobsOfA);
    const ofB = await makeOwner(db, 'B');
    await create(db, ofB, few);
    return await startAll(db, ofB);
  } finally {
    await database.remove();
  }
}

/** Inserts `count` jobs of this user. */
async function create(db: Connection, owner: Owner, count: number): Promise<void> {
  let left = count;
  const client = async () => {
    while (left-- > 0) await insertJob(db, newJob(owner));
  };
  await Promise.all(Array.from({ length: concurrentCreates }, client));
}

/** Starts one job after another until all of B's run; for each of them, how many started before it. */
async function startAll(db: Connection, { userId }: Owner): Promise<readonly number[]> {
  const worker = newWorkerId();
  const waits: number[] = [];
  for (let started = 0; waits.length < few; started++) {
    const [job] = await claimJobs(db, { worker, modelId: deepModel, limit: 1, now: Date.now() });
    if (!job) throw new Error('expected a waiting job');
    if (job.userId === userId) waits.push(started);
  }
  return waits;
}

function print(name: string, waits: readonly number[], share: number): void {
  printRow(name, [figure(percentile(waits, 50)), figure(percentile(waits, 99)), figure(share, 2)], nameWidth);
}
