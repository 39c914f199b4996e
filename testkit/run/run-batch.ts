/** Runs one batch of test files in a process of its own and reads what came of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlannedBatch } from './batches.ts';
import { batchProgram, modulePath } from './programs.ts';
import { withSourcePlaces } from './source-places.ts';
import type { Tally } from './tally.ts';

export interface Ended {
  readonly batch: PlannedBatch;
  readonly isGood: boolean;
  /** Wall time. */
  readonly ms: number;
  /** Null where the process ended before its summary. */
  readonly tally: Tally | null;
  /** Every failed test with its file, line and error; empty where none failed. */
  readonly faults: string;
}

/** No batch comes near, also beside other work; a test that hangs must not hang the run. */
const timeoutMs = 30 * 60_000;

export async function runBatch(batch: PlannedBatch, root: string): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-batch-'));
  const [tallyPath, logPath] = [join(folder, 'tally.json'), join(folder, 'log')];
  const log = openSync(logPath, 'w');
  const startedAt = performance.now();
  const child = spawn(process.execPath, argumentsOf(batch, tallyPath), {
    cwd: root,
    stdio: ['ignore', log, log],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  const [code] = await once(child, 'close');
  process.off('exit', stop);
  closeSync(log);
  const tally = tallyAt(tallyPath);
  const faults = [...faultsIn(readFileSync(logPath, 'utf8'), code), ...emptyFiles(batch, tally)].join('\n');
  await rm(folder, { recursive: true, force: true });
  return { batch, isGood: faults === '', ms: performance.now() - startedAt, tally, faults };
}

/**
 * Tests make much garbage and wait often: larger young spaces, and none collected for idleness, take a fifteenth less CPU.
 * Several threads that collect it together take a thirtieth more, and other batches have their cores meanwhile.
 */
const memorySettings = [
  '--no-memory-reducer',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  '--single-threaded-gc',
];

const argumentsOf = ({ files }: PlannedBatch, tallyPath: string): readonly string[] => [
  ...memorySettings,
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./testkit/run/tally.ts',
  `--test-reporter-destination=${tallyPath}`,
  '--import=./testkit/run/untracked-promises.ts',
  modulePath(batchProgram),
  ...files,
];

function tallyAt(path: string): Tally | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** The part of the log that lists the failures; its end where the process died without one. */
function faultsIn(log: string, code: number | null): readonly string[] {
  if (code === 0) return [];
  const at = log.indexOf('✖ failing tests:');
  const faults = at >= 0 ? log.slice(at) : `the process ended with ${code}:\n${log.slice(-8000)}`;
  return [withSourcePlaces(faults)];
}

/** A file that loads without a test would be green for ever. */
function emptyFiles({ files }: PlannedBatch, tally: Tally | null): readonly string[] {
  if (tally === null) return ['the process wrote no summary'];
  return files.filter(file => !tally.files[file]?.tests).map(file => `${file} has no test`);
}
