/**
 * Creations offered far beyond what the gateway can take: how many it takes all the same, how it refuses the
 * others, how long those that it takes last, and what becomes of the time to a status. Then media that are dear to
 * read, of one key, and what becomes of the uploads of others. Gateway, load and measurer are a process each.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { figure, machine, percentile, printRow, printTitles } from '../../testkit/figures.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { runProgram, type Served, serve } from '../../testkit/gateway/program.ts';
import { readFlags } from '../kit/flags.ts';
import { measureHostile } from './hostile.ts';
import type { Offered } from './offer.ts';
import { startOffer } from './start-offer.ts';

const { seconds, connections } = readFlags({ seconds: 8, connections: 3000 });
const pollEveryMs = 10;
/** Half of what it answered when it was asked without a pause, so that nobody waits. */
const easyShare = 0.5;
const nameWidth = 30;

const body = JSON.stringify({
  prompt: 'A lighthouse above the sea at dusk. '.repeat(14),
  aspect_ratio: '16:9',
});

/** Nothing but the machine is in the way; and the limits that a gateway has when nobody sets any. */
const without = {
  queue: { per_second: 1_000_000, burst: 10_000_000 },
  waiting: { per_key: 100_000_000, in_all: 100_000_000 },
  bodies: { per_key: 10_000 },
  connections_per_address: connections + 100,
};
/** All of it comes from this one machine. */
const usual = { connections_per_address: connections + 100 };

const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
console.log(machine());
try {
  const capacity = await withGateway('capacity', without, async gateway => {
    await offer(gateway, { perSecond: 0, lasts: 2, over: 64 });
    const lasts = 4;
    return goodput((await offer(gateway, { perSecond: 0, lasts, over: 64 })).offered, lasts);
  });
  console.log(`Capacity: ${figure(capacity)} creations/s over 64 connections; ${connections} from here on\n`);
  const titles = ['accepted/s', 'refused/s', 'not sent/s', 'p99 accepted, ms', 'p99 refused, ms'];
  printTitles('offered', [...titles, 'status p99, ms'], nameWidth);
  await withGateway('without', without, async gateway => {
    for (const share of [easyShare, 2, 5]) await printOffer(gateway, `${share} × capacity`, share * capacity);
  });
  await withGateway('usual', usual, gateway =>
    printOffer(gateway, '5 ×, one key, usual limits', 5 * capacity),
  );
  await withGateway('hostile', without, measureHostile);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** A gateway, a key that floods it, and the way to a status with another one. */
interface Flooded {
  readonly url: string;
  readonly key: string;
  readonly poll: Poll;
  /** A key of a user of its own. */
  readonly makeKey: () => Promise<string>;
}

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
  readonly offered: Offered;
  readonly statusMs: readonly number[];
}

async function printOffer(gateway: Flooded, name: string, perSecond: number): Promise<void> {
  const { offered, statusMs } = await offer(gateway, { perSecond, lasts: seconds, over: connections });
  const refused = offered.refusedMs.length;
  const others = Object.keys(offered.byStatus).filter(status => !['200', '429', '503'].includes(status));
  if (others.length > 0 || offered.rude > 0)
    throw new Error(`expected 200, 429 or 503 with Retry-After, got ${JSON.stringify(offered.byStatus)}`);
  const share = (count: number) =>
    `${figure(count / seconds)} (${figure((100 * count) / offered.offered)} %)`;
  printRow(
    name,
    [
      share(offered.accepted),
      share(refused),
      share(offered.turnedAway),
      figure(percentile(offered.acceptedMs, 99), 1),
      refused === 0 ? '–' : figure(percentile(offered.refusedMs, 99), 1),
      figure(percentile(statusMs, 99), 1),
    ],
    nameWidth,
  );
}

function goodput({ accepted }: Offered, lasted: number): number {
  return accepted / lasted;
}

interface Wanted {
  /** 0: each connection asks again at once. */
  readonly perSecond: number;
  /** Seconds. */
  readonly lasts: number;
  /** Connections. */
  readonly over: number;
}

/** A load, and the time to a status beside it. */
async function offer({ url, key, poll }: Flooded, { perSecond, lasts, over }: Wanted): Promise<Measured> {
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
  const offering = startOffer(load).finally(() => (isOver = true));
  const statusMs: number[] = [];
  while (!isOver) {
    statusMs.push(await poll());
    await sleep(pollEveryMs);
  }
  return { offered: await offering, statusMs };
}

/** Milliseconds to a status, of a job that never changes again. */
async function statusOfAJob({ url }: Served, key: string): Promise<Poll> {
  const path = '/v1/queue/gamma-v2-image';
  const made = await ask(url, 'POST', path, { key, body: { prompt: 'A lighthouse', n: 1 } });
  if (made.status !== 200) throw new Error(`expected a handle, got ${JSON.stringify(made.body)}`);
  await ask(url, 'PUT', `${path}/requests/${made.body.request_id}/cancel`, { key });
  return async () => {
    const asked = performance.now();
    const { status } = await ask(url, 'GET', `${path}/requests/${made.body.request_id}/status`, { key });
    if (status !== 200) throw new Error(`expected a status, got ${status}`);
    return performance.now() - asked;
  };
}
