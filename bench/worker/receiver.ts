/**
 * What becomes of the callbacks to receivers that work while one that does not has very many to come: from the end of
 * a job to the arrival. Gateways, receivers and the measurer share this process; rounds take turns.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, endedJob, newCaller } from '../../testkit/clients/callback-jobs.ts';
import type { Dialect } from '../../testkit/databases/databases.ts';
import { figure, machine, percentile, printRow, printTitles, spread } from '../../testkit/figures.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';
import { freePort } from '../../testkit/net/free-port.ts';
import { answer, never, openReceiver, type Receiver } from '../../testkit/net/receiver.ts';
import { readFlags } from '../kit/flags.ts';
import { tell } from '../kit/goals.ts';

const { rounds, events, dead, databases } = readFlags({ rounds: 5, events: 200, dead: 10_000 });
const healthyReceivers = 4;
const everyMs = 20;
const fillsAtOnce = 64;
const nameWidth = 36;

interface Scene {
  readonly name: string;
  readonly gateway: TestGateway;
  readonly callers: readonly Caller[];
  /** Of the middle and of nearly all, in milliseconds, a round each. */
  readonly p50: number[];
  readonly p95: number[];
}

console.log(machine());
console.log(
  `${figure(dead)} callbacks for the dead receiver; ${rounds} rounds of ${figure(events)} for ${healthyReceivers} others, one every ${everyMs} ms; medians (least–most)`,
);
if (databases.includes('postgres')) await globalSetup();
const arrivals = new Map<string, number>();
const healthy = await Promise.all(Array.from({ length: healthyReceivers }, openHealthy));
const silent = await openReceiver(never);
const ratios: number[] = [];
try {
  for (const dialect of databases) await measure(dialect);
  tell('healthyReceivers', Math.max(...ratios));
} finally {
  for (const receiver of [...healthy, silent]) await receiver.close();
  await globalTeardown();
}

function openHealthy(): Promise<Receiver> {
  const taken = answer(204);
  return openReceiver((response, notice) => {
    arrivals.set(notice.body.request_id, performance.now());
    taken(response, notice);
  });
}

async function measure(dialect: Dialect): Promise<void> {
  const nobody = `http://127.0.0.1:${await freePort()}/callback`;
  const scenes: Scene[] = [];
  try {
    scenes.push(await openScene(dialect, 'without'));
    scenes.push(await openScene(dialect, 'nobody listens at its port', nobody));
    scenes.push(await openScene(dialect, 'it takes and never answers', silent.url));
    for (let round = 0; round < rounds; round++) for (const scene of scenes) await playRound(scene);
    print(dialect, scenes);
  } finally {
    for (const { gateway } of scenes) await gateway.close();
  }
}

async function openScene(dialect: Dialect, name: string, deadUrl?: string): Promise<Scene> {
  const gateway = await startGateway({ dialect });
  const callers = await Promise.all(healthy.map(() => newCaller(gateway)));
  const scene = { name, gateway, callers, p50: [], p95: [] };
  if (deadUrl !== undefined) await fill(gateway, await newCaller(gateway), deadUrl);
  return scene;
}

async function fill(gateway: TestGateway, caller: Caller, url: string): Promise<void> {
  let left = dead;
  const filler = async () => {
    while (left-- > 0) await endedJob(gateway, caller, url);
  };
  await Promise.all(Array.from({ length: fillsAtOnce }, filler));
}

async function playRound({ gateway, callers, p50, p95 }: Scene): Promise<void> {
  const ended = new Map<string, number>();
  const begunAt = performance.now();
  for (let event = 0; event < events; event++) {
    await sleep(Math.max(0, begunAt + event * everyMs - performance.now()));
    const place = event % healthyReceivers;
    const [caller, receiver] = [callers[place], healthy[place]];
    if (!caller || !receiver) throw new Error('expected a caller for every receiver');
    ended.set(await endedJob(gateway, caller, receiver.url), performance.now());
  }
  await until(async () => [...ended.keys()].every(id => arrivals.has(id)), 'every callback to arrive');
  const taken = [...ended].map(([id, endedAt]) => Math.max(0, (arrivals.get(id) ?? Number.NaN) - endedAt));
  p50.push(percentile(taken, 50));
  p95.push(percentile(taken, 95));
}

function print(dialect: Dialect, scenes: readonly Scene[]): void {
  console.log(`\n${dialect}\n`);
  printTitles('', ['p50, ms', 'p95, ms', 'p95 / without'], nameWidth);
  const [without] = scenes;
  for (const { name, p50, p95 } of scenes) {
    const shares = p95.map((value, round) => value / (without?.p95[round] ?? Number.NaN));
    printRow(name, [spread(p50, 1), spread(p95, 1), spread(shares, 2)], nameWidth);
    if (name !== without?.name) ratios.push(percentile(shares, 50));
  }
}
