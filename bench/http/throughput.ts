/**
 * Durable creates and status reads a second over HTTP, compared in one run with the framework alone, with the floor (the
 * framework, the model and the store without anything else) and with assembled gateways. Rounds alternate between the servers, so that a busy moment of the machine affects all of them; the CPU time
 * of a request stays comparable on a busy machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDatabase } from '../../testkit/databases/databases.ts';
import { figure, machine, percentile, printRow, printTitles, spread } from '../../testkit/figures.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';
import { shareCores } from '../kit/cores.ts';
import { countCpu } from '../kit/descendants.ts';
import { readFlags } from '../kit/flags.ts';
import { reportFigure } from '../kit/goals.ts';
import { start } from '../kit/servers.ts';
import { startLoad } from './start-load.ts';
import {
  body,
  openBullmq,
  openFloor,
  openFrameworkAlone,
  openGateway,
  openGatewayWithBudget,
  openPgBoss,
  type Request,
  type Target,
} from './targets.ts';

const { rounds, seconds, connections, databases } = readFlags({ rounds: 5, seconds: 3, connections: 64 });
const operations = ['create', 'status'] as const;
const titles = [
  'a second',
  'times CPU of alone',
  'times CPU of floor',
  'CPU µs a request',
  'p99, ms',
  'load busy, %',
];
const nameWidth = 24;
/** What every server is compared with. */
const alone = 'Fastify alone';

/** The result of one round of one request. */
interface Round {
  readonly perSecond: number;
  /** CPU microseconds a request, of the server and its database; null where there is no /proc. */
  readonly cpuMicros: number | null;
  readonly p99Ms: number;
  /** CPU use of the load generator, of one core: near 100, the load was the limit. */
  readonly loadPercent: number;
}

type Rounds = Readonly<Record<(typeof operations)[number], Round[]>>;

const cores = shareCores();
const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
const targets = new Map<Target, Rounds>();
console.log(machine());
console.log(cores.description);
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
  reportFigures();
  await endTargets();
  await printStarts();
} finally {
  await endTargets();
  await globalTeardown();
  await rm(folder, { recursive: true, force: true });
}

/** Opens every server that this machine can run; prints which ones are missing. */
async function openTargets(): Promise<void> {
  const add = (target: Target) => targets.set(target, { create: [], status: [] });
  add(await openFrameworkAlone());
  if (databases.includes('sqlite')) {
    add(await openFloor('SQLite', await mkdtemp(join(folder, 'floor-'))));
    add(await openGateway('SQLite', folder));
    add(await openGatewayWithBudget('budget, SQLite', folder));
  }
  const bullmq = await openBullmq(folder);
  if (bullmq) add(bullmq);
  else console.log('No redis-server on the PATH: BullMQ is not measured.');
  if (!hasPostgres || !postgres || !databases.includes('postgres')) return;
  add(await onPostgres(url => openFloor('PostgreSQL', url)));
  add(await onPostgres(url => openGateway('PostgreSQL', folder, { ATELIER_DATABASE_URL: url })));
  add(
    await onPostgres(url =>
      openGatewayWithBudget('budget, PostgreSQL', folder, { ATELIER_DATABASE_URL: url }),
    ),
  );
  add(await openPgBoss(`${postgres}/postgres`));
}

/** A server on a database of its own, which is removed with it. */
async function onPostgres(open: (url: string) => Promise<Target>): Promise<Target> {
  const made = await makeDatabase('postgres');
  const target = await open(made.url ?? '');
  return {
    ...target,
    async end() {
      await target.end();
      await made.remove();
    },
  };
}

/** Called twice: before the starts are measured, and again where something failed before that. */
async function endTargets(): Promise<void> {
  for (const target of targets.keys()) await target.end();
  targets.clear();
}

/** One round; throws where a request was not answered with 200. */
async function measure(request: Request, duration: number): Promise<Round> {
  const cpuSince = countCpu();
  const load = { ...request, perSecond: 0, seconds: duration, connections };
  const { byStatus, offered, acceptedMs, cpuSeconds } = await startLoad(load, cores);
  const cpu = cpuSince();
  if (byStatus['200'] !== offered)
    throw new Error(`expected 200 of ${request.url} ${offered} times, got ${JSON.stringify(byStatus)}`);
  return {
    perSecond: offered / duration,
    cpuMicros: cpu === null ? null : (1e6 * cpu) / offered,
    p99Ms: percentile(acceptedMs, 99),
    loadPercent: (100 * cpuSeconds) / duration,
  };
}

/** A table of one operation, a row for each server. */
function printRates(operation: (typeof operations)[number]): void {
  console.log(
    `\n${operation === 'create' ? `Creates of ${body.length} bytes` : 'Statuses'}: ${rounds} rounds of ${seconds} s, ${connections} connections; median (least–most)\n`,
  );
  printTitles('', titles, nameWidth);
  for (const { name } of targets.keys()) {
    const taken = roundsOf(operation, name);
    const cpu = taken.map(one => one.cpuMicros ?? Number.NaN);
    const timesCpu = [alone, floorOf(name)].map(other => {
      const times = ratios(operation, 'cpuMicros', name, other);
      return times.length === 0 || times.some(Number.isNaN) ? '–' : spread(times, 1);
    });
    const cells = [
      spread(taken.map(one => one.perSecond)),
      ...timesCpu,
      cpu.some(Number.isNaN) ? '–' : spread(cpu),
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
    printRow(name, cells, nameWidth);
  }
}

/** The floor on the database of a server; that on SQLite for those without one of ours. */
function floorOf(name: string): string {
  return name.endsWith('PostgreSQL') ? 'Floor, PostgreSQL' : 'Floor, SQLite';
}

/** The rounds of a server by its name; empty where it was not measured. */
function roundsOf(operation: (typeof operations)[number], name: string): readonly Round[] {
  return [...targets].flatMap(([target, taken]) => (target.name === name ? taken[operation] : []));
}

/** Ratios round by round, as both ran in the same minute; empty where one of them was not measured. */
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

/** Reports the medians of the ratios that have a goal. */
function reportFigures(): void {
  const [sqlite, other] = ['Atelier, SQLite', 'Atelier, PostgreSQL'] as const;
  const cpu = (operation: (typeof operations)[number], name: string, of: string) =>
    percentile(ratios(operation, 'cpuMicros', name, of), 50);
  const ofAssembled = ['Fastify + BullMQ', 'Fastify + pg-boss']
    .map(name => percentile(ratios('create', 'perSecond', sqlite, name), 50))
    .filter(ratio => !Number.isNaN(ratio));
  const figures = [
    ['createOfFloor', cpu('create', sqlite, floorOf(sqlite))],
    ['createsOfAssembled', ofAssembled.length === 0 ? Number.NaN : Math.min(...ofAssembled)],
    ['createOfSqlite', cpu('create', other, sqlite)],
    ['budgetOnSqlite', cpu('create', 'Atelier, budget, SQLite', sqlite)],
    ['budgetOnPostgres', cpu('create', 'Atelier, budget, PostgreSQL', other)],
    ['statusOnSqlite', cpu('status', sqlite, alone)],
    ['statusOnPostgres', cpu('status', other, alone)],
  ] as const;
  for (const [goal, value] of figures) if (!Number.isNaN(value)) reportFigure(goal, value);
}

/** From the spawn of the process of `npm start` to its banner, in a data directory that was used before. */
async function printStarts(): Promise<void> {
  const took: number[] = [];
  let idleMb = 0;
  // The first start creates the data directory and is not counted.
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
