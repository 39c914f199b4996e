/**
 * From the end of a job at its upstream to its COMPLETED here, while thousands of jobs are polled: some end one by one, the
 * others go on. Times are read from the rows, as a status request would wake its job's poll.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { openStore } from '../../src/app/open-store.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import type { Dialect } from '../../testkit/databases/databases.ts';
import { figure, machine, percentile, printRow, printTitles } from '../../testkit/figures.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { firstKeyIn } from '../../testkit/gateway/program.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';
import { readFlags } from '../kit/flags.ts';
import { reportFigure } from '../kit/goals.ts';
import { start } from '../kit/servers.ts';
import { openUpstream, routeTo, type Upstream } from './minimal-upstream.ts';

const { jobs, ends, seconds, databases } = readFlags({ jobs: 5_000, ends: 500, seconds: 60 });
const model = 'gamma-v3-image';
const concurrentCreates = 64;
const longestEndMs = 120_000;
const nameWidth = 12;

const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
const worst: number[] = [];
console.log(machine());
if (databases.includes('postgres')) await globalSetup();
try {
  console.log(`${figure(jobs)} open jobs, ${figure(ends)} of them end within ${seconds} s\n`);
  const titles = ['p50, s', 'p99, s', 'poll interval p50, s', 'p99, s', 'polls/s', 'to submit, s'];
  printTitles('', titles, nameWidth);
  for (const dialect of databases) await measure(dialect);
  reportFigure('lagBeyondPoll', Math.max(...worst));
} finally {
  await globalTeardown();
  await rm(folder, { recursive: true, force: true });
}

/** Creates all jobs, ends some of them at the upstream, and compares the rows with the upstream's times. */
async function measure(dialect: Dialect): Promise<void> {
  const upstream = await openUpstream({ endsAtOnce: false });
  const place = join(folder, dialect);
  const databaseUrl = dialect === 'postgres' ? `${process.env.TEST_POSTGRES_URL}/postgres` : null;
  const served = await start(['bin/atelier.js', 'serve'], {
    ...(await routeTo(upstream, { [model]: 'studio' }, place)),
    ATELIER_LOG_LEVEL: 'error',
    ...(databaseUrl !== null && { ATELIER_DATABASE_URL: databaseUrl }),
  });
  const db = await openStore({ databaseUrl, dataDir: join(place, 'data') }, pino({ level: 'silent' }));
  try {
    const begunAt = performance.now();
    await createAll(served.url, firstKeyIn(served.banner));
    await until(async () => upstream.jobs.size === jobs, 'every job to be submitted', longestEndMs);
    const submittedMs = performance.now() - begunAt;
    // After two polls of each job its poll interval is known.
    const open = [...upstream.jobs.values()];
    await until(async () => open.every(job => job.pollMs !== null), 'every job to be polled', longestEndMs);
    const pollsASecond = await endSome(upstream);
    const { lags, pollMs } = await readLags(db, upstream);
    print(dialect, lags, pollMs, [figure(pollsASecond), figure(submittedMs / 1000, 1)]);
  } finally {
    await db.close();
    await served.end();
    await upstream.close();
  }
}

/** Creates `jobs` jobs by 64 concurrent clients. */
async function createAll(url: string, key: string): Promise<void> {
  let left = jobs;
  const client = async () => {
    while (left-- > 0) {
      const made = await ask(url, 'POST', `/v1/queue/${model}`, { key, body: { prompt: 'A red balloon' } });
      if (made.status !== 200) throw new Error(`expected a handle, got ${JSON.stringify(made.body)}`);
    }
  };
  await Promise.all(Array.from({ length: concurrentCreates }, client));
}

/** Ends one job after another, evenly over all jobs and over the time; the polls a second meanwhile. */
async function endSome({ jobs: open, polls }: Upstream): Promise<number> {
  const every = Math.floor(open.size / ends);
  const chosen = [...open.values()].filter((_, n) => n % every === 0).slice(0, ends);
  const [begunAt, before] = [performance.now(), polls()];
  for (const [n, job] of chosen.entries()) {
    await sleep(Math.max(0, begunAt + (n * seconds * 1000) / ends - performance.now()));
    job.endedAt = Date.now();
  }
  return (1000 * (polls() - before)) / (performance.now() - begunAt);
}

interface Lags {
  /** Milliseconds of each job that ended, and its poll interval. */
  readonly lags: readonly number[];
  readonly pollMs: readonly number[];
}

/** Waits until every ended job is completed. */
async function readLags(db: Connection, { jobs: open }: Upstream): Promise<Lags> {
  const rows = await until(
    async () => {
      const completed = await db.read(
        `SELECT attempts.ref, jobs.completed_at FROM jobs JOIN attempts ON attempts.job_id = jobs.id
       WHERE jobs.state = 'completed'`,
      );
      return completed.length === ends && completed;
    },
    'every ended job to be completed',
    longestEndMs,
  );
  const ended = rows.map(({ ref, completed_at }) => {
    const job = open.get(JSON.parse(String(ref)).id);
    if (!job?.endedAt || job.pollMs === null) throw new Error(`expected an ended job, got ${ref}`);
    return { lag: Number(completed_at) - job.endedAt, pollMs: job.pollMs };
  });
  return { lags: ended.map(({ lag }) => lag), pollMs: ended.map(one => one.pollMs) };
}

function print(
  name: string,
  lags: readonly number[],
  pollMs: readonly number[],
  more: readonly string[],
): void {
  const values = [lags, pollMs].flatMap(times => [50, 99].map(percent => percentile(times, percent) / 1000));
  printRow(name, [...values.map(value => figure(value, 2)), ...more], nameWidth);
  worst.push((percentile(lags, 99) - percentile(pollMs, 99)) / 1000);
}
