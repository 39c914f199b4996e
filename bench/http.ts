import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';
import { figure, machine, printRow, spread } from './figures.ts';

/**
 * Durable creates and status reads over HTTP against what the bare framework does, on this machine, in one run.
 * The load comes from this process; every server has one of its own. Rounds take turns, so that a busy
 * moment of the machine hits all alike.
 */
const rounds = 5;
const connections = 64;
const seconds = 3;
const root = fileURLToPath(new URL('..', import.meta.url));

/** 600 bytes with ten fields, and a creation that every gate lets through. */
const fields = {
  prompt: '',
  negative_prompt: 'people, boats, birds, text',
  image: 'https://files.example.com/portrait.png',
  n: 2,
  resolution: '1k',
  aspect_ratio: '16:9',
  image_reference: 'subject',
  element_list: [{ element_id: 1 }],
  watermark_info: { enabled: false },
  callback_url: 'https://hooks.example.com/atelier',
};
const words = 'A lighthouse above the sea at dusk. '.repeat(20);
const prompt = words.slice(0, 600 - JSON.stringify(fields).length);
const body = JSON.stringify({ ...fields, prompt });

/** A server in a process of its own, the two requests it is asked, and how many a second it answered in each round. */
interface Target {
  readonly name: string;
  readonly child: ChildProcess;
  readonly create: autocannon.Options;
  readonly status: autocannon.Options;
  readonly creates: number[];
  readonly statuses: number[];
}

const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
const running: ChildProcess[] = [];
console.log(machine());
await globalSetup().catch(failure => console.log(`No PostgreSQL: ${failure}`));
const postgres = process.env.TEST_POSTGRES_URL;
try {
  const targets = [await openBare(), await openGateway('SQLite', {})];
  if (postgres)
    targets.push(await openGateway('PostgreSQL', { ATELIER_DATABASE_URL: `${postgres}/postgres` }));
  for (const target of targets) {
    await measure(target.create, 1);
    await measure(target.status, 1);
  }
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) target.creates.push(await measure(target.create, seconds));
    for (const target of targets) target.statuses.push(await measure(target.status, seconds));
  }
  for (const { child } of targets) await end(child);
  printRates(targets);
  await printStarts();
} finally {
  for (const child of running) child.kill('SIGKILL');
  await globalTeardown();
  await rm(folder, { recursive: true, force: true });
}

async function openBare(): Promise<Target> {
  const { child, told } = await start(['bench/bare.ts'], {});
  const headers = { 'content-type': 'application/json' };
  return {
    name: 'Fastify alone',
    child,
    create: { url: `${urlOf(told)}/create`, method: 'POST', headers, body },
    status: { url: `${urlOf(told)}/status` },
    creates: [],
    statuses: [],
  };
}

async function openGateway(name: string, env: Readonly<Record<string, string>>): Promise<Target> {
  const settings = join(folder, 'atelier.yaml');
  const limits = {
    queue: { per_second: 1_000_000, burst: 10_000_000 },
    waiting: { per_key: 100_000_000, in_all: 100_000_000 },
  };
  await writeFile(settings, JSON.stringify({ limits }));
  const { child, told } = await start(['bin/atelier.js', 'serve', '--role', 'api'], {
    ATELIER_DATA_DIR: join(folder, name),
    ATELIER_CONFIG: settings,
    ...env,
  });
  const headers = {
    authorization: `Bearer ${/atl_[0-9A-Za-z]{36}/.exec(told)?.[0]}`,
    'content-type': 'application/json',
  };
  const url = `${urlOf(told)}/v1/queue/gamma-v3-image`;
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`expected a handle, got ${answer.status} ${await answer.text()}`);
  const handle = (await answer.json()) as { readonly status_url: string };
  return {
    name: `Atelier, ${name}`,
    child,
    create: { url, method: 'POST', headers, body },
    status: { url: handle.status_url, headers },
    creates: [],
    statuses: [],
  };
}

/** Requests a second, all of them answered with 200. */
async function measure(options: autocannon.Options, duration: number): Promise<number> {
  const result = await autocannon({ ...options, connections, duration });
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`expected every request to succeed, ${failed} to ${options.url} did not`);
  return result['2xx'] / result.duration;
}

/** From the spawn of what `npm start` runs to its banner, in a folder that was used before. */
async function printStarts(): Promise<void> {
  const took: number[] = [];
  let idleMb = 0;
  // The first one makes the folder.
  for (let number = 0; number <= rounds; number++) {
    const begun = performance.now();
    const { child, told } = await start(['scripts/start.js'], { ATELIER_DATA_DIR: join(folder, 'starts') });
    if (number > 0) took.push(performance.now() - begun);
    const metrics = await (await fetch(`${urlOf(told)}/metrics`)).text();
    idleMb = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]) / 1024 / 1024;
    await end(child);
  }
  console.log(`\nSecond start, spawn to banner: ${spread(took)} ms`);
  console.log(`Resident when idle: ${figure(idleMb)} MB`);
}

/** Resolves when the program has told its address. */
async function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ATELIER_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
  const gone = once(child, 'close').then(() => Promise.reject(new Error(`expected ${args[0]} to stay`)));
  gone.catch(() => {});
  // A banner comes whole and ends with a blank line.
  while (!(urlOf(told) && told.endsWith('\n\n'))) await Promise.race([once(child.stdout, 'data'), gone]);
  return { child, told };
}

function urlOf(told: string): string {
  return /Address +(http\S+)/.exec(told)?.[1] ?? '';
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

function printRates(targets: readonly Target[]): void {
  console.log(
    `${rounds} rounds of ${seconds} s, ${connections} connections, ${body.length} bytes a creation\n`,
  );
  const [bare] = targets;
  const ratio = (values: readonly number[], of: readonly number[] = values) =>
    spread(values.map((value, round) => (100 * value) / (of[round] ?? Number.NaN)));
  const rows = targets.map(({ name, creates, statuses }) => [
    name,
    spread(creates),
    ratio(creates, bare?.creates),
    spread(statuses),
    ratio(statuses, bare?.statuses),
  ]);
  for (const [name = '', ...cells] of [
    ['median (min–max)', 'creates/s', '% of alone', 'status/s', '% of alone'],
    ...rows,
  ])
    printRow(name, cells);
}
