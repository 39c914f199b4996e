/**
 * Latency of callbacks to working receivers while a dead receiver has thousands of due callbacks: from the end of a job to
 * the arrival. Gateways, receivers and measuring share this process; rounds alternate between the scenarios.
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
import { reportFigure } from '../kit/goals.ts';

const { rounds, events, dead, databases } = readFlags({ rounds: 5, events: 200, dead: 10_000 });
const healthyReceivers = 4;
const everyMs = 20;
const concurrentInserts = 64;
const nameWidth = 36;

/** A gateway with the same healthy receivers; scenarios differ in the dead one. */
interface Scenario {
  readonly name: string;
  readonly gateway: TestGateway;
  readonly callers: readonly Caller[];
  /** Milliseconds, one value for each round. */
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
  reportFigure('healthyReceivers', Math.max(...ratios));
} finally {
  for (const receiver of [...healthy, silent]) await receiver.close();
  await globalTeardown();
}

/** A receiver that records when each callback arrives. */
function openHealthy(): Promise<Receiver> {
  const accept = answer(204);
  return openReceiver((response, notice) => {
    arrivals.set(notice.body.request_id, performance.now());
    accept(response, notice);
  });
}

/** All scenarios of one database, with alternating rounds. */
async function measure(dialect: Dialect): Promise<void> {
  const closedPort = `http://127.0.0.1:${await freePort()}/callback`;
  const scenarios: Scenario[] = [];
  try {
    scenarios.push(await openScenario(dialect, 'without'));
    scenarios.push(await openScenario(dialect, 'its port is closed', closedPort));
    scenarios.push(await openScenario(dialect, 'it accepts and never answers', silent.url));
    for (let round = 0; round < rounds; round++) for (const scenario of scenarios) await playRound(scenario);
    print(dialect, scenarios);
  } finally {
    for (const { gateway } of scenarios) await gateway.close();
  }
}

async function openScenario(dialect: Dialect, name: string, deadUrl?: string): Promise<Scenario> {
  const gateway = await startGateway({ dialect });
  const callers = await Promise.all(healthy.map(() => newCaller(gateway)));
  const scenario = { name, gateway, callers, p50: [], p95: [] };
  if (deadUrl !== undefined) await fill(gateway, await newCaller(gateway), deadUrl);
  return scenario;
}

/** Makes `dead` callbacks due for this address. */
async function fill(gateway: TestGateway, caller: Caller, url: string): Promise<void> {
  let left = dead;
  const filler = async () => {
    while (left-- > 0) await endedJob(gateway, caller, url);
  };
  await Promise.all(Array.from({ length: concurrentInserts }, filler));
}

/** Ends a job every 20 ms and waits for all callbacks. */
async function playRound({ gateway, callers, p50, p95 }: Scenario): Promise<void> {
  const ended = new Map<string, number>();
  const begunAt = performance.now();
  for (let event = 0; event < events; event++) {
    await sleep(Math.max(0, begunAt + event * everyMs - performance.now()));
    const index = event % healthyReceivers;
    const [caller, receiver] = [callers[index], healthy[index]];
    if (!caller || !receiver) throw new Error('expected a caller for every receiver');
    ended.set(await endedJob(gateway, caller, receiver.url), performance.now());
  }
  await until(async () => [...ended.keys()].every(id => arrivals.has(id)), 'every callback to arrive');
  const latencies = [...ended].map(([id, endedAt]) =>
    Math.max(0, (arrivals.get(id) ?? Number.NaN) - endedAt),
  );
  p50.push(percentile(latencies, 50));
  p95.push(percentile(latencies, 95));
}

function print(dialect: Dialect, scenarios: readonly Scenario[]): void {
  console.log(`\n${dialect}\n`);
  printTitles('', ['p50, ms', 'p95, ms', 'p95 / without'], nameWidth);
  const [without] = scenarios;
  for (const { name, p50, p95 } of scenarios) {
    const shares = p95.map((value, round) => value / (without?.p95[round] ?? Number.NaN));
    printRow(name, [spread(p50, 1), spread(p95, 1), spread(shares, 2)], nameWidth);
    if (name !== without?.name) ratios.push(percentile(shares, 50));
  }
}
