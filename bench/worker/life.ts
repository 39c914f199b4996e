/**
 * The whole life of a job, from its creation to the COMPLETED that a client hears of who waits by
 * `Prefer: wait`, at an upstream that is done at once; and what each step of that life adds.
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
import { tell } from '../kit/goals.ts';
import { start } from '../kit/servers.ts';
import { openUpstream, routeTo } from './upstream.ts';

const { rounds, jobs, together, databases } = readFlags({ rounds: 5, jobs: 100, together: 32 });
const nameWidth = 52;
const longestWait = { prefer: 'wait=60' };

const ofInstant = 'gamma-v3-image';
const ofRelay = 'gamma-v2-image';

/** From the least that a job can be to the most; each adds a step. What becomes of a job its prompt says. */
const ways = [
  { name: 'refused by the upstream: the queue alone', prompt: 'refused', model: ofInstant },
  { name: 'a file of this machine: + probed and kept', prompt: 'kept', model: ofInstant },
  { name: 'a file at an address: + fetched', prompt: 'fetched', model: ofInstant },
  { name: 'by the relay: + accepted and polled', prompt: 'relayed', model: ofRelay },
] as const;
type Way = (typeof ways)[number];

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
  const { url, told, end } = await startGateway(dialect);
  const gateway = { url, key: firstKeyIn(told) };
  try {
    const alone = await printLives(dialect, gateway, 1);
    await printLives(dialect, gateway, together);
    tell(dialect === 'sqlite' ? 'lifeOnSqlite' : 'lifeOnPostgres', alone);
  } finally {
    await end();
  }
}

/** The middle of a job whose result is fetched. */
async function printLives(dialect: Dialect, gateway: Gateway, atOnce: number): Promise<number> {
  console.log(
    `\n${dialect}, ${atOnce} at a time: ${rounds} rounds of ${jobs} jobs; median of the rounds (least–most)\n`,
  );
  printTitles('', ['p50, ms', 'p95, ms', 'jobs a second'], nameWidth);
  let middle = Number.NaN;
  for (const way of ways) {
    // A job of the relay waits for polls by the second.
    const some = way.model === ofRelay && atOnce === 1 ? Math.ceil(jobs / 20) : jobs;
    const taken: Taken[] = [];
    await live(gateway, way, some, atOnce);
    for (let round = 0; round < rounds; round++) taken.push(await live(gateway, way, some, atOnce));
    const p50 = taken.map(({ lives }) => percentile(lives, 50));
    const p95 = taken.map(({ lives }) => percentile(lives, 95));
    const rates = taken.map(({ lives, tookMs }) => (1000 * lives.length) / tookMs);
    printRow(way.name, [spread(p50, 1), spread(p95, 1), spread(rates)], nameWidth);
    if (way.prompt === 'fetched') middle = percentile(p50, 50);
  }
  return middle;
}

interface Taken {
  /** Milliseconds of each job. */
  readonly lives: readonly number[];
  readonly tookMs: number;
}

/** So many jobs, each begun when one of those under way ended. */
async function live(gateway: Gateway, way: Way, count: number, atOnce: number): Promise<Taken> {
  const begun = performance.now();
  const lives: number[] = [];
  let left = count;
  const client = async () => {
    while (left-- > 0) lives.push(await liveOnce(gateway, way));
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return { lives, tookMs: performance.now() - begun };
}

async function liveOnce({ url, key }: Gateway, { model, prompt }: Way): Promise<number> {
  const begun = performance.now();
  const path = `/v1/queue/${model}`;
  const made = await ask(url, 'POST', path, { key, body: { prompt } });
  if (made.status !== 200) throw new Error(`expected a handle, got ${JSON.stringify(made.body)}`);
  const at = `${path}/requests/${made.body.request_id}/status`;
  for (;;) {
    const { status, body: told } = await ask(url, 'GET', at, { key, headers: longestWait });
    if (status !== 200) throw new Error(`expected a status, got ${JSON.stringify(told)}`);
    if (told.status === 'COMPLETED') break;
  }
  return performance.now() - begun;
}

async function startGateway(dialect: Dialect) {
  const place = join(folder, dialect);
  const env = await routeTo(upstream, { [ofInstant]: 'instant', [ofRelay]: 'studio' }, place);
  return start(['bench/worker/instant.ts', 'instant', upstream.mediumUrl, place], {
    ...env,
    ...(dialect === 'postgres' && { ATELIER_DATABASE_URL: `${process.env.TEST_POSTGRES_URL}/postgres` }),
  });
}
