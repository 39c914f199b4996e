/** Memory and CPU time of a process and everything below it, read from /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What the processes below this one used while they were watched; null where there is no /proc to read. */
export interface Used {
  /** Most of them together at one moment; pages that two of them share count twice. */
  readonly peakMb: number | null;
  readonly cpuSeconds: number | null;
}

/** Linux counts processor time in hundredths for whoever reads it. */
const ticksPerSecond = 100;
const isReadable = existsSync('/proc/self/status');

/** Looks at every process below this one, again and again, until it is told to stop. */
export function watchDescendants(everyMs: number): { stop(): Used } {
  const ticks = new Map<number, number>();
  const before = new Map(descendantsOf(process.pid).map(pid => [pid, ticksOf(pid)]));
  let peakMb = 0;
  const look = () => {
    let residentMb = 0;
    for (const pid of descendantsOf(process.pid)) {
      residentMb += residentMbOf(pid);
      ticks.set(pid, Math.max(ticks.get(pid) ?? 0, ticksOf(pid) - (before.get(pid) ?? 0)));
    }
    peakMb = Math.max(peakMb, residentMb);
  };
  const timer = setInterval(look, everyMs);
  return {
    stop() {
      look();
      clearInterval(timer);
      if (!isReadable) return { peakMb: null, cpuSeconds: null };
      const sum = [...ticks.values()].reduce((all, one) => all + one, 0);
      return { peakMb, cpuSeconds: sum / ticksPerSecond };
    },
  };
}

/**
 * Begins to count what processes below this one use; gives the CPU seconds of those that live on, null where
 * there is no /proc to read.
 */
export function countCpu(): () => number | null {
  const before = new Map(descendantsOf(process.pid).map(pid => [pid, ticksOf(pid)]));
  return () => {
    if (!isReadable) return null;
    const used = descendantsOf(process.pid).map(pid => ticksOf(pid) - (before.get(pid) ?? 0));
    return used.reduce((all, one) => all + one, 0) / ticksPerSecond;
  };
}

function descendantsOf(pid: number): readonly number[] {
  const children = threadsOf(pid).flatMap(thread => numbersIn(read(`/proc/${pid}/task/${thread}/children`)));
  return children.flatMap(child => [child, ...descendantsOf(child)]);
}

export const residentMbOf = (pid: number): number => statusMbOf(pid, 'VmRSS');

/** The most that it ever had. */
export const peakMbOf = (pid: number): number => statusMbOf(pid, 'VmHWM');

function statusMbOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const lines = read(`/proc/${pid}/status`).split('\n');
  return Number(numbersIn(lines.find(line => line.startsWith(field)) ?? '')[0] ?? 0) / 1024;
}

function ticksOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // A name in brackets, which may hold anything, stands before the fields that are separated by blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Empty for a process that is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const numbersIn = (text: string): readonly number[] => (text.match(/\d+/g) ?? []).map(Number);
