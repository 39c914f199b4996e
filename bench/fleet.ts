import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { days } from '../src/domain/clock.ts';
import { newJobId } from '../src/domain/ids.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { ask } from '../test/support/gateway.ts';
import { serve } from '../test/support/program.ts';
import { watchDescendants } from './descendants.ts';
import { figure, machine, percentile, printRow } from './figures.ts';

/**
 * A start with very many jobs under way at an upstream: how soon one process has all of them in hand again,
 * what it weighs with them, how often the upstream is asked, and how quick a status stays.
 */
const jobs = Number(process.argv[2] ?? 100_000);
const model = 'gamma-v3-image';
const watchedMs = 30_000;
const statusPolls = 1_000;
const longestTakeUpMs = 120_000;
const nameWidth = 52;

let asked = 0;
const upstream = createServer((_, answer) => {
  asked += 1;
  answer.setHeader('content-type', 'application/json');
  answer.end('{"status":"IN_PROGRESS","request_id":"a"}');
}).listen(0, '127.0.0.1');
await once(upstream, 'listening');
const { port } = upstream.address() as AddressInfo;

const folder = await mkdtemp(join(tmpdir(), 'atelier-fleet-'));
const settings = join(folder, 'atelier.yaml');
const account = {
  provider: 'relay',
  base_url: `http://127.0.0.1:${port}`,
  api_key: 'env:STUDIO',
  slots: 1_000_000,
};
const limits = { queue: { per_second: 1_000_000, burst: 10_000_000 } };
await writeFile(
  settings,
  JSON.stringify({ limits, accounts: { studio: account }, routes: { [model]: [{ account: 'studio' }] } }),
);
const env = {
  ATELIER_DATA_DIR: join(folder, 'data'),
  ATELIER_CONFIG: settings,
  ATELIER_LOG_LEVEL: 'error',
  STUDIO: 'key',
};
console.log(machine());
try {
  const first = await serve({ env });
  const key = /atl_[0-9A-Za-z]{36}/.exec(first.banner())?.[0] ?? '';
  await first.end('SIGTERM');
  const oneId = await fill();
  await measure(key, oneId);
} finally {
  upstream.close();
  upstream.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
}

/** Rows as a process leaves them that had submitted every job and stopped. */
async function fill(): Promise<string> {
  const db = openSqlite(join(folder, 'data', 'atelier.db'));
  const now = Date.now();
  const [owner] = await db.read('SELECT id, user_id FROM keys');
  const ids = Array.from({ length: jobs }, () => newJobId(now));
  const input = JSON.stringify({ prompt: 'A red balloon over the sea', n: 1, aspect_ratio: '1:1' });
  for (let from = 0; from < jobs; from += 1_000) {
    await db.transaction(async tx => {
      for (const [place, id] of ids.slice(from, from + 1_000).entries()) {
        await tx.write(
          `INSERT INTO jobs (id, user_id, key_id, model_id, state, band, rank, due_at, created_at, started_at, expires_at,
             input, claim, account) VALUES ($1, $2, $3, $4, 'available', 0, $5, $6, $6, $6, $7, $8, 1, 'studio')`,
          [id, owner?.user_id ?? '', owner?.id ?? '', model, from + place, now, now + 2 * days, input],
        );
        await tx.write(
          `INSERT INTO attempts (job_id, number, provider, account, dedupe_key, started_at, answered_at, answer, ref, billable)
           VALUES ($1, 1, 'relay', 'studio', $2, $3, $3, 'accepted', '{"id":"a"}', 1)`,
          [id, `${id}-1`, now],
        );
      }
    });
  }
  await db.close();
  return ids[0] ?? '';
}

async function measure(key: string, id: string): Promise<void> {
  const watch = watchDescendants(500);
  const startedAt = performance.now();
  const served = await serve({ env });
  const servingAt = performance.now();
  const db = openSqlite(join(folder, 'data', 'atelier.db'));
  try {
    let held = 0;
    while (held < jobs && performance.now() - startedAt < longestTakeUpMs) {
      await sleep(50);
      const [row] = await db.read(`SELECT count(*) AS held FROM jobs WHERE state = 'running'`);
      held = Number(row?.held);
    }
    const heldAt = performance.now();
    const before = asked;
    const latencies: number[] = [];
    const path = `/v1/queue/${model}/requests/${id}/status`;
    for (let polls = 0; polls < statusPolls; polls++) {
      const from = performance.now();
      await ask(served.url, 'GET', path, { key });
      latencies.push(performance.now() - from);
      await sleep(watchedMs / statusPolls);
    }
    const watchedFor = (performance.now() - heldAt) / 1000;
    const { peakMb } = watch.stop();
    const rows: readonly (readonly [string, string])[] = [
      ['jobs in hand', `${figure(held)} of ${figure(jobs)}`],
      ['from the start to the banner, seconds', figure((servingAt - startedAt) / 1000, 1)],
      ['from the start until all are in hand, seconds', figure((heldAt - startedAt) / 1000, 1)],
      ['peak of the process, MB', peakMb === null ? 'unknown' : figure(peakMb)],
      ['polls of the upstream a second', figure((asked - before) / watchedFor)],
      [
        'status, p50 and p99, ms',
        `${figure(percentile(latencies, 50), 1)}, ${figure(percentile(latencies, 99), 1)}`,
      ],
    ];
    for (const [name, value] of rows) printRow(name, [value], nameWidth);
  } finally {
    await db.close();
    await served.end('SIGTERM');
  }
}
