/**
 * Creates far beyond the capacity of the gateway: how many it accepts, how it refuses the others, and the latency of both
 * and of a status. Then uploads of other users while one key floods with expensive dry runs. Gateway, load and measuring
 * are separate processes.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { figure, machine, percentile, printRow, printTitles } from '../../testkit/figures.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { runProgram, type Served, serve } from '../../testkit/gateway/program.ts';
import { readFlags } from '../kit/flags.ts';
import { measureHostile } from './hostile-dry-runs.ts';
import type { LoadResult } from './load.ts';
import { startLoad } from './start-load.ts';

const { seconds, connections } = readFlags({ seconds: 8, connections: 3000 });
const pollEveryMs = 10;
/** Half of its capacity, so that no request has to wait. */
const lowShare = 0.5;
const nameWidth = 30;

const body = JSON.stringify({
  prompt: 'A lighthouse above the sea at dusk. '.repeat(14),
  aspect_ratio: '16:9',
});

/** Limits so high that only the machine limits. */
const unlimited = {
  queue: { per_second: 1_000_000, burst: 10_000_000 },
  waiting: { per_key: 100_000_000, in_all: 100_000_000 },
  bodies: { per_key: 10_000 },
  connections_per_address: connections + 100,
};
/** The default limits, but for the connections of one address: all come from this machine. */
const defaults = { connections_per_address: connections + 100 };

const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
console.log(machine());
try {
  const capacity = await withGateway('capacity', unlimited, async gateway => {
    await measureLoad(gateway, { perSecond: 0, lasts: 2, over: 64 });
    const lasts = 4;
    return goodput((await measureLoad(gateway, { perSecond: 0, lasts, over: 64 })).offered, lasts);
  });
  console.log(`Capacity: ${figure(capacity)} creations/s over 64 connections; ${connections} from here on\n`);
  const titles = ['accepted/s', 'refused/s', 'not sent/s', 'p99 accepted, ms', 'p99 refused, ms'];
  printTitles('offered', [...titles, 'status p99, ms'], nameWidth);
  await withGateway('unlimited', unlimited, async gateway => {
    for (const share of [lowShare, 2, 5]) await printLoad(gateway, `${share} × capacity`, share * capacity);
  });
  await withGateway('defaults', defaults, gateway =>
    printLoad(gateway, '5 ×, one key, default limits', 5 * capacity),
  );
  await withGateway('hostile', unlimited, measureHostile);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** A gateway, the key that floods it, and a status request of another user. */
interface Flooded {
  readonly url: string;
  readonly key: string;
  readonly poll: Poll;
  /** Makes a key of a new user. */
  readonly makeKey: () => Promise<string>;
}

/** Runs `work` with a gateway that has these limits and no worker, in a data directory of its own. */
async function withGateway<T>(
  name: string,
  limits: unknown,
  work: (gateway: Flooded) => Promise<T>,
): Promise<T> {
  const settings = join(folder, `${name}.yaml`);
  await writeFile(settings, JSON.stringify({ limits }));
  const env = {
    ATELIER_DATA_DIR: join(folder, name),
    ATELIER_CONFIG: settings,
    ATELIER_ROLE: 'api',
    ATELIER_LOG_LEVEL: 'error',
  };
  const served = await serve({ env });
  try {
    const key = served.firstKey();
    let users = 0;
    async function makeKey(): Promise<string> {
      const made = await runProgram(['keys', 'create', '--user', `measurer-${++users}`, '--json'], { env });
      return JSON.parse(made.stdout).key;
    }
    const poll = await statusOfAJob(served, await makeKey());
    return await work({ url: served.url, key, poll, makeKey });
  } finally {
    await served.end('SIGTERM');
  }
}

type Poll = () => Promise<number>;
interface Measured {
  readonly offered: LoadResult;
  readonly statusMs: readonly number[];
}

/** Prints the row of one load; throws for an answer that an overloaded gateway must not give. */
async function printLoad(gateway: Flooded, name: string, perSecond: number): Promise<void> {
  const { offered, statusMs } = await measureLoad(gateway, { perSecond, lasts: seconds, over: connections });
  const refused = offered.refusedMs.length;
  const others = Object.keys(offered.byStatus).filter(status => !['200', '429', '503'].includes(status));
  if (others.length > 0 || offered.withoutRetryAfter > 0)
    throw new Error(`expected 200, 429 or 503 with Retry-After, got ${JSON.stringify(offered.byStatus)}`);
  const share = (count: number) =>
    `${figure(count / seconds)} (${figure((100 * count) / offered.offered)} %)`;
  printRow(
    name,
    [
      share(offered.accepted),
      share(refused),
      share(offered.notSent),
      figure(percentile(offered.acceptedMs, 99), 1),
      refused === 0 ? '–' : figure(percentile(offered.refusedMs, 99), 1),
      figure(percentile(statusMs, 99), 1),
    ],
    nameWidth,
  );
}

/** Accepted a second. */
function goodput({ accepted }: LoadResult, seconds: number): number {
  return accepted / seconds;
}

/** The rate, duration and connections of a load. */
interface LoadShape {
  /** 0: each connection sends again as soon as it is answered. */
  readonly perSecond: number;
  /** Seconds. */
  readonly lasts: number;
  /** Connections. */
  readonly over: number;
}

/** Runs a load of creates, and polls a status beside it. */
async function measureLoad(
  { url, key, poll }: Flooded,
  { perSecond, lasts, over }: LoadShape,
): Promise<Measured> {
  const load = {
    url: `${url}/v1/queue/gamma-v3-image`,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
    perSecond,
    seconds: lasts,
    connections: over,
  } as const;
  let isOver = false;
  const offering = startLoad(load).finally(() => (isOver = true));
  const statusMs: number[] = [];
  while (!isOver) {
    statusMs.push(await poll());
    await sleep(pollEveryMs);
  }
  return { offered: await offering, statusMs };
}

/** A poll that gives the milliseconds to a status, of a cancelled job: it never changes again. */
async function statusOfAJob({ url }: Served, key: string): Promise<Poll> {
  const path = '/v1/queue/gamma-v2-image';
  const made = await ask(url, 'POST', path, { key, body: { prompt: 'A lighthouse', n: 1 } });
  if (made.status !== 200) throw new Error(`expected a handle, got ${JSON.stringify(made.body)}`);
  await ask(url, 'PUT', `${path}/requests/${made.body.request_id}/cancel`, { key });
  return async () => {
    const begun = performance.now();
    const { status } = await ask(url, 'GET', `${path}/requests/${made.body.request_id}/status`, { key });
    if (status !== 200) throw new Error(`expected a status, got ${status}`);
    return performance.now() - begun;
  };
}
