/** Pins the measured processes and their load to different cores. */
import { spawnSync } from 'node:child_process';

/** Which cores of this machine the measured processes and the load use. */
export interface Cores {
  /** A sentence for the report. */
  readonly description: string;
  /** The command as it runs on the core of the load; unchanged where there is only one core or no taskset. */
  asLoad(command: string, args: readonly string[]): readonly [command: string, args: readonly string[]];
}

/** Pins this process and its future children to all cores but the last, which is for the load. */
export function shareCores(): Cores {
  const cores = usableCores();
  const load = cores.at(-1);
  const rest = cores.slice(0, -1).join(',');
  if (load === undefined || rest === '')
    return { description: 'servers, databases and load on the same cores', asLoad: (...command) => command };
  spawnSync('taskset', ['-a', '-cp', rest, String(process.pid)]);
  return {
    description: `servers and databases on core ${rest}, the load on core ${load}`,
    asLoad: (command, args) => ['taskset', ['-c', String(load), command, ...args]],
  };
}

/** Read from taskset, which prints `0-2,5`; empty where there is none. */
function usableCores(): readonly number[] {
  const output = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' }).stdout ?? '';
  const [, list] = /list: (\S+)/.exec(output) ?? [];
  return (list?.split(',') ?? []).flatMap(part => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
}
