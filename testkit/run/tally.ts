/** A reporter that writes one JSON text at the end of a batch: tests and time of each file, CPU of the process. */
import { readFileSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';

/** What one process of tests came to. */
export interface Tally {
  readonly files: Readonly<Record<string, { readonly tests: number; readonly ms: number }>>;
  readonly counts: Readonly<Record<Count, number>>;
  /** CPU time of the process and of the children that ended; null where the system does not say. */
  readonly cpuMs: number | null;
}

export type Count = 'tests' | 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo';

export default async function* tally(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: Record<string, { tests: number; ms: number }> = {};
  let tests = 0;
  for await (const event of events) {
    if (event.type === 'test:summary')
      yield JSON.stringify({ files, counts: event.data.counts, cpuMs: cpuMsOfProcess() });
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, nesting, details } = event.data;
    if (details.type !== 'suite') tests++;
    if (nesting > 0) continue;
    // The suite of a file ends after everything in it.
    files[name] = { tests, ms: details.duration_ms };
    tests = 0;
  }
}

/** A tick of /proc is ten milliseconds on every Linux that Node runs on. */
const msOfTick = 10;

function cpuMsOfProcess(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // utime, stime, cutime and cstime, counted from behind the name, which may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * msOfTick, 0);
  } catch {
    return null;
  }
}
