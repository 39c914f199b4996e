/**
 * Durable creates and status reads over HTTP against what the framework does alone, and against what a team would
 * assemble around it, on this machine, in one run. Rounds take turns, so that a busy moment of the machine hits all
 * alike; the CPU time of a request tells the same on a machine that is not quiet.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figure, machine, percentile, printRow, printTitles, spread } from '../../testkit/figures.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';
import { shareCores } from '../kit/cores.ts';
import { countCpu } from '../kit/descendants.ts';
import { readFlags } from '../kit/flags.ts';
import { tell } from '../kit/goals.ts';
import { start } from '../kit/servers.ts';
import { startOffer } from './start-offer.ts';
import { body, openBare, openBullmq, openGateway, openPgBoss, type Request, type Target } from './targets.ts';

const { rounds, seconds, connections, databases } = readFlags({ rounds: 5, seconds: 3, connections: 64 });
const operations = ['create', 'status'] as const;
const titles = [
  'a second',
  '% of alone',
  'times CPU of alone',
  'CPU µs a request',
  'p99, ms',
  'load busy, %',
];
const nameWidth = 24;

/** One round of one request. */
interface Taken {
  readonly perSecond: number;
  /** Microseconds of a request, in the server and its database; null where there is no /proc to read. */
  readonly cpuMicros: number | null;
  readonly p99Ms: number;
  /** Of one core, by whoever asks: near 100, the load was the limit. */
  readonly loadPercent: number;
}

type Rounds = Readonly<Record<(typeof operations)[number], Taken[]>>;

const cores = shareCores();
const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
const targets = new Map<Target, Rounds>();
console.log(machine());
console.log(cores.inWords);
const hasPostgres = await globalSetup().then(
  () => true,
  failure => console.log(`No PostgreSQL: ${failure}`),
);
const postgres = process.env.TEST_POSTGRES_URL;
try {
  await openTargets();
  for (const { create, status } of targets.keys())
    for (const request of [create, status]) await measure(request, 1);
  for (let round = 0; round < rounds; round++)
    for (const operation of operations)
      for (const [target, taken] of targets) taken[operation].push(await measure(target[operation], seconds));
  for (const operation of operations) printRates(operation);
  tellGoals();
  await endTargets();
  await printStarts();
} finally {
  await endTargets();
  await globalTeardown();
  await rm(folder, { recursive: true, force: true });
}

async function openTargets(): Promise<void> {
  const add = (target: Target) => targets.set(target, { create: [], status: [] });
  add(await openBare());
  if (databases.includes('sqlite')) add(await openGateway('SQLite', folder));
  const bullmq = await openBullmq(folder);
  if (bullmq) add(bullmq);
  else console.log('No redis-server on the PATH: nothing is measured of BullMQ.');
  if (!hasPostgres || !postgres || !databases.includes('postgres')) return;
  add(await openGateway('PostgreSQL', folder, { ATELIER_DATABASE_URL: `${postgres}/postgres` }));
  add(await openPgBoss(`${postgres}/postgres`));
}

async function endTargets(): Promise<void> {
  for (const target of targets.keys()) await target.end();
  targets.clear();
}

/** Every request must be answered with 200. */
async function measure(request: Request, lasts: number): Promise<Taken> {
  const used = countCpu();
  const load = { ...request, perSecond: 0, seconds: lasts, connections };
  const { byStatus, offered, acceptedMs, cpuSeconds } = await startOffer(load, cores);
  const cpu = used();
  if (byStatus['200'] !== offered)
    throw new Error(`expected 200 of ${request.url} ${offered} times, got ${JSON.stringify(byStatus)}`);
  return {
    perSecond: offered / lasts,
    cpuMicros: cpu === null ? null : (1e6 * cpu) / offered,
    p99Ms: percentile(acceptedMs, 99),
    loadPercent: (100 * cpuSeconds) / lasts,
  };
}

function printRates(operation: (typeof operations)[number]): void {
  console.log(
    `\n${operation === 'create' ? `Creates of ${body.length} bytes` : 'Statuses'}: ${rounds} rounds of ${seconds} s, ${connections} connections; median (least–most)\n`,
  );
  printTitles('', titles, nameWidth);
  for (const { name } of targets.keys()) {
    const taken = roundsOf(operation, name);
    const cpu = taken.map(one => one.cpuMicros ?? Number.NaN);
    const ofAlone = ratios(operation, 'perSecond', name, 'Fastify alone');
    const timesCpu = ratios(operation, 'cpuMicros', name, 'Fastify alone');
    const told = [
      spread(taken.map(one => one.perSecond)),
      spread(ofAlone.map(share => 100 * share)),
      ...(cpu.some(Number.isNaN) ? ['–', '–'] : [spread(timesCpu, 1), spread(cpu)]),
      figure(
        percentile(
          taken.map(one => one.p99Ms),
          50,
        ),
        1,
      ),
      figure(
        percentile(
          taken.map(one => one.loadPercent),
          50,
        ),
      ),
    ];
    printRow(name, told, nameWidth);
  }
}

function roundsOf(operation: (typeof operations)[number], name: string): readonly Taken[] {
  return [...targets].flatMap(([target, taken]) => (target.name === name ? taken[operation] : []));
}

/** Round by round: both met the machine in the same minute. Empty where one of them was not measured. */
function ratios(
  operation: (typeof operations)[number],
  what: 'perSecond' | 'cpuMicros',
  name: string,
  of: string,
): readonly number[] {
  const others = roundsOf(operation, of);
  return roundsOf(operation, name).flatMap((taken, round) => {
    const other = others[round]?.[what];
    return other ? [(taken[what] ?? Number.NaN) / other] : [];
  });
}

function tellGoals(): void {
  const [bare, sqlite, other] = ['Fastify alone', 'Atelier, SQLite', 'Atelier, PostgreSQL'] as const;
  const middle = (operation: (typeof operations)[number], name: string, of: string) =>
    percentile(ratios(operation, 'perSecond', name, of), 50);
  const told = [
    ['createsOfBare', middle('create', sqlite, bare)],
    ['createsOfSqlite', middle('create', other, sqlite)],
    ['statusesOnSqlite', middle('status', sqlite, bare)],
    ['statusesOnPostgres', middle('status', other, bare)],
    [
      'createsOfAssembled',
      Math.min(...['Fastify + BullMQ', 'Fastify + pg-boss'].map(name => middle('create', sqlite, name))),
    ],
  ] as const;
  for (const [goal, value] of told) if (!Number.isNaN(value)) tell(goal, value);
}

/** From the spawn of what `npm start` runs to its banner, in a folder that was used before. */
async function printStarts(): Promise<void> {
  const took: number[] = [];
  let idleMb = 0;
  // The first one makes the folder.
  for (let number = 0; number <= rounds; number++) {
    const begun = performance.now();
    const { url, end } = await start(['scripts/start.js'], { ATELIER_DATA_DIR: join(folder, 'starts') });
    if (number > 0) took.push(performance.now() - begun);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    idleMb = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]) / 1024 / 1024;
    await end();
  }
  console.log(`\nSecond start, spawn to banner: ${spread(took)} ms`);
  console.log(`Resident when idle: ${figure(idleMb)} MB`);
}
