/**
 * A restart with very many jobs in flight at an upstream, after a stop and after a kill: how soon one process has resumed
 * all of them, its memory, the rate of polls, the latency of a status meanwhile, and the duration of a stop.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { openStore } from '../../src/app/open-store.ts';
import { days } from '../../src/domain/clock.ts';
import { newJobId } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import type { Dialect } from '../../testkit/databases/databases.ts';
import { makePostgres } from '../../testkit/databases/own-postgres.ts';
import { figure, machine, percentile, printRow, printTitles } from '../../testkit/figures.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { serve } from '../../testkit/gateway/program.ts';
import { countCpu, peakMbOf, residentMbOf } from '../kit/descendants.ts';
import { readFlags } from '../kit/flags.ts';
import { reportFigure } from '../kit/goals.ts';

const { jobs, seconds: watchedSeconds, databases } = readFlags({ jobs: 100_000, seconds: 30 });
const model = 'gamma-v3-image';
const statusPolls = 1_000;
const longestResumeMs = 120_000;
const sampleEveryMs = 250;
const nameWidth = 46;

/** How the process before ended: its jobs are requeued, or still leased by it. */
const endings = { stopped: 'after a stop', killed: 'after a kill' } as const;
type Ending = keyof typeof endings;

let polls = 0;
const upstream = createServer((_, answer) => {
  polls += 1;
  answer.setHeader('content-type', 'application/json');
  answer.end('{"status":"IN_PROGRESS","request_id":"a"}');
}).listen(0, '127.0.0.1');
await once(upstream, 'listening');
const { port } = upstream.address() as AddressInfo;

/** The figures of one restart. */
interface Measured {
  /** Resumed jobs; fewer than all where it took too long. */
  readonly resumed: number;
  /** From the start to the banner. */
  readonly servingSeconds: number;
  /** From the start until all jobs are resumed. */
  readonly resumedSeconds: number;
  readonly cpuSeconds: number | null;
  readonly residentMb: number;
  readonly peakMb: number;
  readonly pollsASecond: number;
  readonly latencies: readonly number[];
  readonly stopSeconds: number;
}

console.log(machine());
const results: (readonly [string, Measured])[] = [];
try {
  for (const dialect of databases)
    for (const ending of Object.keys(endings) as Ending[])
      results.push([`${dialect}, ${endings[ending]}`, await start(dialect, ending)]);
  print();
  reportFigure('allResumed', Math.max(...results.map(([, one]) => one.resumedSeconds)));
  reportFigure('restartMemory', Math.max(...results.map(([, one]) => one.residentMb)));
} finally {
  upstream.close();
  upstream.closeAllConnections();
}

/** Prepares a database as the earlier process left it, then measures the start of the next one. */
async function start(dialect: Dialect, ending: Ending): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-restart-'));
  const postgres = dialect === 'postgres' ? await makePostgres() : null;
  const dataDir = join(folder, 'data');
  const env = {
    ATELIER_DATA_DIR: dataDir,
    ATELIER_CONFIG: await writeSettings(folder),
    ATELIER_LOG_LEVEL: 'error',
    STUDIO: 'key',
    ...(postgres && { ATELIER_DATABASE_URL: postgres.url }),
  };
  let db: Connection | null = null;
  try {
    const first = await serve({ env });
    const key = first.firstKey();
    await first.end('SIGTERM');
    db = await openStore({ databaseUrl: postgres?.url ?? null, dataDir }, pino({ level: 'silent' }));
    const oneId = await fill(db, ending);
    return await measure(env, db, key, oneId);
  } finally {
    await db?.close();
    await postgres?.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Settings that route the model to the local upstream without limits. */
async function writeSettings(folder: string): Promise<string> {
  const account = {
    provider: 'relay',
    base_url: `http://127.0.0.1:${port}`,
    api_key: 'env:STUDIO',
    slots: 1_000_000,
  };
  const path = join(folder, 'atelier.yaml');
  const limits = { queue: { per_second: 1_000_000, burst: 10_000_000 }, connections_per_address: 10_000 };
  const routes = { [model]: [{ account: 'studio' }] };
  await writeFile(path, JSON.stringify({ limits, accounts: { studio: account }, routes }));
  return path;
}

/** Inserts the rows of a process that had submitted every job and ended; the id of one of the jobs. */
async function fill(db: Connection, ending: Ending): Promise<string> {
  const now = Date.now();
  const [owner] = await db.read('SELECT id, user_id FROM keys');
  const ids = Array.from({ length: jobs }, () => newJobId(now));
  const input = JSON.stringify({ prompt: 'A red balloon over the sea', n: 1, aspect_ratio: '1:1' });
  const [state, holder] = ending === 'stopped' ? ['available', null] : ['running', 'worker_dead'];
  if (holder)
    await db.write('INSERT INTO workers (id, started_at, heartbeat_at) VALUES ($1, 0, 0)', [holder]);
  for (let from = 0; from < jobs; from += 1_000) {
    await db.transaction(async tx => {
      for (const [index, id] of ids.slice(from, from + 1_000).entries()) {
        await tx.write(
          `INSERT INTO jobs (id, user_id, key_id, model_id, state, holder, band, rank, due_at, created_at, started_at,
             expires_at, input, claim, account)
           VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $8, $8, $9, $10, 1, 'studio')`,
          [
            ...[id, owner?.user_id ?? '', owner?.id ?? '', model, state ?? '', holder ?? null],
            ...[from + index, now, now + 2 * days, input],
          ],
        );
        await tx.write(
          `INSERT INTO attempts (job_id, number, provider, account, dedupe_key, started_at, answered_at, answer, ref, billable)
           VALUES ($1, 1, 'relay', 'studio', $2, $3, $3, 'accepted', '{"id":"a"}', 1)`,
          [id, `${id}-1`, now],
        );
      }
    });
  }
  return ids[0] ?? '';
}

async function measure(
  env: Readonly<Record<string, string>>,
  db: Connection,
  key: string,
  id: string,
): Promise<Measured> {
  const cpu = countCpu();
  const startedAt = performance.now();
  const secondsSince = (from: number) => (performance.now() - from) / 1000;
  const served = await serve({ env });
  const servingSeconds = secondsSince(startedAt);
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(residentMbOf(served.pid)), sampleEveryMs);
  try {
    const resumed = await untilResumed(db, startedAt);
    const resumedSeconds = secondsSince(startedAt);
    const cpuSeconds = cpu();
    const peakMb = peakMbOf(served.pid);
    samples.splice(0);
    const [resumedAt, before] = [performance.now(), polls];
    const latencies = await watchStatus(served.url, key, id);
    const pollsASecond = (polls - before) / secondsSince(resumedAt);
    const residentMb = Math.max(0, ...samples);
    const measured = {
      resumed,
      servingSeconds,
      resumedSeconds,
      cpuSeconds,
      residentMb,
      peakMb,
      pollsASecond,
      latencies,
    };
    const stoppedAt = performance.now();
    await served.end('SIGTERM');
    return { ...measured, stopSeconds: secondsSince(stoppedAt) };
  } finally {
    clearInterval(sampling);
    await served.end('SIGTERM');
  }
}

/** How many jobs are leased by the new process, once it is all of them or two minutes passed. */
async function untilResumed(db: Connection, startedAt: number): Promise<number> {
  for (;;) {
    const [row] = await db.read(
      `SELECT count(*) AS resumed FROM jobs WHERE state = 'running' AND holder <> 'worker_dead'`,
    );
    const resumed = Number(row?.resumed);
    if (resumed === jobs || performance.now() - startedAt > longestResumeMs) return resumed;
    await sleep(50);
  }
}

/** Latencies of status requests, evenly over the watched seconds. */
async function watchStatus(url: string, key: string, id: string): Promise<readonly number[]> {
  const latencies: number[] = [];
  const path = `/v1/queue/${model}/requests/${id}/status`;
  for (let polls = 0; polls < statusPolls; polls++) {
    const from = performance.now();
    await ask(url, 'GET', path, { key });
    latencies.push(performance.now() - from);
    await sleep((watchedSeconds * 1000) / statusPolls);
  }
  return latencies;
}

/** A column for each database and ending. */
function print(): void {
  printTitles(
    `${figure(jobs)} jobs in flight`,
    results.map(([title]) => title),
    nameWidth,
  );
  const row = (name: string, cell: (one: Measured) => string) =>
    printRow(
      name,
      results.map(([, one]) => cell(one)),
      nameWidth,
    );
  row('resumed', one => figure(one.resumed));
  row('from the start to the banner, s', one => figure(one.servingSeconds, 1));
  row('from the start until all are resumed, s', one => figure(one.resumedSeconds, 1));
  row('CPU seconds until then, database included', one => figure(one.cpuSeconds ?? Number.NaN, 1));
  row('peak of the process until then, MB', one => figure(one.peakMb));
  row('peak after that, MB', one => figure(one.residentMb));
  row('polls of the upstream a second', one => figure(one.pollsASecond));
  row('status, p50 and p99, ms', ({ latencies }) =>
    [50, 99].map(share => figure(percentile(latencies, share), 1)).join(', '),
  );
  row('from SIGTERM to the end, s', one => figure(one.stopSeconds, 1));
}
