/**
 * Latency of a whole job, from its creation to the COMPLETED that a client receives with `Prefer: wait`, at an upstream that
 * completes at once; and what each step adds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from '../../testkit/databases/databases.ts';
import { machine, percentile, printRow, printTitles, spread } from '../../testkit/figures.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { firstKeyIn } from '../../testkit/gateway/program.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';
import { readFlags } from '../kit/flags.ts';
import { reportFigure } from '../kit/goals.ts';
import { start } from '../kit/servers.ts';
import { openUpstream, routeTo } from './minimal-upstream.ts';

const { rounds, jobs, concurrent, databases } = readFlags({ rounds: 5, jobs: 100, concurrent: 32 });
const nameWidth = 52;
const longestWait = { prefer: 'wait=60' };

const ofInstant = 'gamma-v3-image';
const ofRelay = 'gamma-v2-image';

/** Each adds a step to the one before; the prompt selects the outcome at the upstream. */
const paths = [
  { name: 'refused by the upstream: the queue alone', prompt: 'refused', model: ofInstant },
  { name: 'a local file: + probed and stored', prompt: 'kept', model: ofInstant },
  { name: 'a file by URL: + fetched', prompt: 'fetched', model: ofInstant },
  { name: 'by the relay: + accepted and polled', prompt: 'relayed', model: ofRelay },
] as const;
type Path = (typeof paths)[number];

interface Gateway {
  readonly url: string;
  readonly key: string;
}

const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
const upstream = await openUpstream({ endsAtOnce: true });
console.log(machine());
if (databases.includes('postgres')) await globalSetup();
try {
  for (const dialect of databases) await measure(dialect);
} finally {
  await globalTeardown();
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
}

async function measure(dialect: Dialect): Promise<void> {
  const { url, banner, end } = await startGateway(dialect);
  const gateway = { url, key: firstKeyIn(banner) };
  try {
    const alone = await printLatencies(dialect, gateway, 1);
    await printLatencies(dialect, gateway, concurrent);
    reportFigure(dialect === 'sqlite' ? 'latencyOnSqlite' : 'latencyOnPostgres', alone);
  } finally {
    await end();
  }
}

/** Prints a row for each path; the median of a job whose result is fetched. */
async function printLatencies(dialect: Dialect, gateway: Gateway, concurrency: number): Promise<number> {
  console.log(
    `\n${dialect}, ${concurrency} concurrent: ${rounds} rounds of ${jobs} jobs; median of the rounds (least–most)\n`,
  );
  printTitles('', ['p50, ms', 'p95, ms', 'jobs a second'], nameWidth);
  let median = Number.NaN;
  for (const path of paths) {
    // A job of the relay waits a second for its first poll: fewer jobs are enough.
    const count = path.model === ofRelay && concurrency === 1 ? Math.ceil(jobs / 20) : jobs;
    const taken: Round[] = [];
    await runJobs(gateway, path, count, concurrency);
    for (let round = 0; round < rounds; round++) taken.push(await runJobs(gateway, path, count, concurrency));
    const p50 = taken.map(({ latencies }) => percentile(latencies, 50));
    const p95 = taken.map(({ latencies }) => percentile(latencies, 95));
    const rates = taken.map(({ latencies, tookMs }) => (1000 * latencies.length) / tookMs);
    printRow(path.name, [spread(p50, 1), spread(p95, 1), spread(rates)], nameWidth);
    if (path.prompt === 'fetched') median = percentile(p50, 50);
  }
  return median;
}

/** The latencies of one round. */
interface Round {
  /** Milliseconds of each job. */
  readonly latencies: readonly number[];
  readonly tookMs: number;
}

/** Runs `count` jobs, `concurrency` of them at a time. */
async function runJobs(gateway: Gateway, path: Path, count: number, concurrency: number): Promise<Round> {
  const begun = performance.now();
  const latencies: number[] = [];
  let left = count;
  const client = async () => {
    while (left-- > 0) latencies.push(await runJob(gateway, path));
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { latencies, tookMs: performance.now() - begun };
}

/** Milliseconds from the creation to COMPLETED. */
async function runJob({ url, key }: Gateway, { model, prompt }: Path): Promise<number> {
  const begun = performance.now();
  const base = `/v1/queue/${model}`;
  const made = await ask(url, 'POST', base, { key, body: { prompt } });
  if (made.status !== 200) throw new Error(`expected a handle, got ${JSON.stringify(made.body)}`);
  const at = `${base}/requests/${made.body.request_id}/status`;
  for (;;) {
    const { status, body: answer } = await ask(url, 'GET', at, { key, headers: longestWait });
    if (status !== 200) throw new Error(`expected a status, got ${JSON.stringify(answer)}`);
    if (answer.status === 'COMPLETED') break;
  }
  return performance.now() - begun;
}

/** Starts the gateway with both accounts: the instant provider and the relay. */
async function startGateway(dialect: Dialect) {
  const place = join(folder, dialect);
  const env = await routeTo(upstream, { [ofInstant]: 'instant', [ofRelay]: 'studio' }, place);
  return start(['bench/worker/instant-gateway.ts', 'instant', upstream.mediumUrl, place], {
    ...env,
    ...(dialect === 'postgres' && { ATELIER_DATABASE_URL: `${process.env.TEST_POSTGRES_URL}/postgres` }),
  });
}
