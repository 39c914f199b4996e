/** Memory and CPU time of a process and everything below it, read from /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Use of the processes below this one while they were watched; null where there is no /proc. */
export interface Used {
  /** The highest sum at one moment; pages that two processes share count twice. */
  readonly peakMb: number | null;
  readonly cpuSeconds: number | null;
}

/** The unit of processor time in /proc. */
const ticksPerSecond = 100;
const isReadable = existsSync('/proc/self/status');

/** Samples every process below this one until `stop`. */
export function watchDescendants(everyMs: number): { stop(): Used } {
  const ticks = new Map<number, number>();
  const before = new Map(descendantsOf(process.pid).map(pid => [pid, ticksOf(pid)]));
  let peakMb = 0;
  const sample = () => {
    let residentMb = 0;
    for (const pid of descendantsOf(process.pid)) {
      residentMb += residentMbOf(pid);
      ticks.set(pid, Math.max(ticks.get(pid) ?? 0, ticksOf(pid) - (before.get(pid) ?? 0)));
    }
    peakMb = Math.max(peakMb, residentMb);
  };
  const timer = setInterval(sample, everyMs);
  return {
    stop() {
      sample();
      clearInterval(timer);
      if (!isReadable) return { peakMb: null, cpuSeconds: null };
      const sum = [...ticks.values()].reduce((all, one) => all + one, 0);
      return { peakMb, cpuSeconds: sum / ticksPerSecond };
    },
  };
}

/**
 * Begins to count the CPU time of the processes below this one; the returned function gives the CPU seconds of those
 * that still run, null where there is no /proc.
 */
export function countCpu(): () => number | null {
  const before = new Map(descendantsOf(process.pid).map(pid => [pid, ticksOf(pid)]));
  return () => {
    if (!isReadable) return null;
    const used = descendantsOf(process.pid).map(pid => ticksOf(pid) - (before.get(pid) ?? 0));
    return used.reduce((all, one) => all + one, 0) / ticksPerSecond;
  };
}

/** Ids of all processes below this one, at any depth. */
function descendantsOf(pid: number): readonly number[] {
  const children = threadsOf(pid).flatMap(thread => numbersIn(read(`/proc/${pid}/task/${thread}/children`)));
  return children.flatMap(child => [child, ...descendantsOf(child)]);
}

/** The memory of a process at present. */
export const residentMbOf = (pid: number): number => statusMbOf(pid, 'VmRSS');

/** The highest since the start of the process. */
export const peakMbOf = (pid: number): number => statusMbOf(pid, 'VmHWM');

function statusMbOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const lines = read(`/proc/${pid}/status`).split('\n');
  return Number(numbersIn(lines.find(line => line.startsWith(field)) ?? '')[0] ?? 0) / 1024;
}

/** User and system time of a process since its start; 0 for a process that is gone. */
function ticksOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The process name in brackets may contain spaces: the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** A process lists its children by the thread that started them; empty for a process that is gone. */
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
