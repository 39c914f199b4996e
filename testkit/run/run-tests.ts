// npm test without names of files, and npm run test:fast: runs the batches, a few processes at once, and sums them up.
// `npm test -- --batch=cli` runs those whose name begins so.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, statfs } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { globalSetup, globalTeardown } from '../global-setup.ts';
import { type PlannedBatch, planOf } from './batches.ts';
import { buildPrograms } from './build-programs.ts';
import { builtProgramsVariable } from './programs.ts';
import { type Ended, runBatch } from './run-batch.ts';
import type { Count } from './tally.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const timesPath = join(root, 'node_modules/.cache/atelier-test-times.json');
const waitingSlots = 3;
/** The words of node's own summary, so that what reads one reads the other. */
const summaryWords: readonly (readonly [word: string, count: Count])[] = [
  ['tests', 'tests'],
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['cancelled', 'cancelled'],
  ['skipped', 'skipped'],
  ['todo', 'todo'],
];

const startedAt = performance.now();
const files = await testFiles();
const batches = longestFirst(planOf(files).filter(isWanted));
const folder = await temporaryFolder();
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.env.TMPDIR = folder;
// All of them for every run: the same files, for others that run here, and for what node has compiled of them.
process.env[builtProgramsVariable] = await buildPrograms(files);
await globalSetup();
const ended = await runAll(batches);
await globalTeardown();
keepTimes(ended);
printSum(ended);
process.exitCode = ended.every(batch => batch.isGood) ? 0 : 1;

function isWanted({ name, fast }: PlannedBatch): boolean {
  const begins = process.argv.flatMap(word => (word.startsWith('--batch=') ? [word.slice(8)] : []));
  if (begins.length > 0)
    return begins.some(begin => (begin.endsWith('$') ? name === begin.slice(0, -1) : name.startsWith(begin)));
  return !process.argv.includes('--fast') || fast === true;
}

async function testFiles(): Promise<readonly string[]> {
  const names = await Promise.all(
    ['test', 'engine/test'].map(async top =>
      (await readdir(join(root, top), { recursive: true })).map(
        name => `${top}/${name.replaceAll('\\', '/')}`,
      ),
    ),
  );
  return names.flat().filter(name => name.endsWith('.test.ts'));
}

/** In memory where there is plenty, since tests make hundreds of databases; else where the system keeps such things. */
async function temporaryFolder(): Promise<string> {
  const neededBytes = 4 * 1024 ** 3;
  const inMemory = '/dev/shm';
  const free = await statfs(inMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  const made = await mkdtemp(join(free >= neededBytes ? inMemory : tmpdir(), 'atelier-tests-'));
  // PostgreSQL runs as another user where we are root.
  await chmod(made, 0o755);
  return made;
}

/** By the last run that measured them; those that it did not know start first, in the order of their declaration. */
function longestFirst(planned: readonly PlannedBatch[]): readonly PlannedBatch[] {
  const times = knownTimes();
  const timeOf = ({ name }: PlannedBatch) => times[name] ?? Number.MAX_VALUE;
  return planned.toSorted((a, b) => timeOf(b) - timeOf(a));
}

function knownTimes(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(timesPath, 'utf8'));
  } catch {
    return {};
  }
}

function keepTimes(ended: readonly Ended[]): void {
  const measured = Object.fromEntries(ended.map(({ batch, ms }) => [batch.name, Math.round(ms)]));
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  writeFileSync(timesPath, JSON.stringify({ ...knownTimes(), ...measured }, null, 2));
}

/** One more that computes than there are cores, because each waits at times, and a few beside them that mostly wait. */
async function runAll(wanted: readonly PlannedBatch[]): Promise<readonly Ended[]> {
  const open = [...wanted];
  const running = new Map<PlannedBatch, Promise<Ended>>();
  const ended: Ended[] = [];
  const nextOf = (): PlannedBatch | undefined => {
    const waiting = [...running.keys()].filter(batch => batch.waits).length;
    const slots = availableParallelism() + 1;
    const mayStart = (batch: PlannedBatch) =>
      batch.waits ? waiting < waitingSlots : running.size - waiting < slots;
    return open.find(mayStart);
  };
  while (open.length > 0 || running.size > 0) {
    for (let next = nextOf(); next; next = nextOf()) {
      open.splice(open.indexOf(next), 1);
      running.set(next, runBatch(next, root));
    }
    const one = await Promise.race(running.values());
    running.delete(one.batch);
    ended.push(one);
    printEnd(one);
  }
  return ended;
}

function printEnd({ batch, isGood, ms, tally, faults }: Ended): void {
  const seconds = (of: number) => (of / 1000).toFixed(1);
  const cpu = tally?.cpuMs ? `, ${seconds(tally.cpuMs)} s of CPU` : '';
  console.log(
    `${isGood ? '✔' : '✖'} ${batch.name}: ${tally?.counts.tests ?? '?'} tests of ${batch.files.length} ` +
      `${batch.files.length === 1 ? 'file' : 'files'} in ${seconds(ms)} s${cpu}`,
  );
  if (!isGood) console.log(faults);
}

function printSum(ended: readonly Ended[]): void {
  const sumOf = (count: Count) => ended.reduce((sum, { tally }) => sum + (tally?.counts[count] ?? 0), 0);
  for (const [word, count] of summaryWords) console.log(`ℹ ${word} ${sumOf(count)}`);
  const cpuMs = ended.reduce((sum, { tally }) => sum + (tally?.cpuMs ?? 0), 0);
  console.log(`ℹ duration_ms ${Math.round(performance.now() - startedAt)}`);
  console.log(`ℹ cpu_ms ${cpuMs}`);
  const bad = ended.filter(({ isGood }) => !isGood);
  if (bad.length > 0) console.log(`✖ failed: ${bad.map(({ batch }) => batch.name).join(', ')}`);
}
