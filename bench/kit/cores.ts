/** Pins the measured processes and their load to different cores. */
import { spawnSync } from 'node:child_process';

/** How what is measured and the load on it share the cores of this machine. */
export interface Cores {
  readonly inWords: string;
  /** A command that runs on the core of the load, where there is one to spare. */
  asLoad(command: string, args: readonly string[]): readonly [command: string, args: readonly string[]];
}

/** Puts this process, and all it starts from now on, on every core but one: that is for the load. */
export function shareCores(): Cores {
  const cores = usableCores();
  const load = cores.at(-1);
  const rest = cores.slice(0, -1).join(',');
  if (load === undefined || rest === '')
    return { inWords: 'servers, databases and load on the same cores', asLoad: (...given) => given };
  spawnSync('taskset', ['-a', '-cp', rest, String(process.pid)]);
  return {
    inWords: `servers and databases on core ${rest}, the load on core ${load}`,
    asLoad: (command, args) => ['taskset', ['-c', String(load), command, ...args]],
  };
}

/** Empty where there is no taskset to ask; it tells them as `0-2,5`. */
function usableCores(): readonly number[] {
  const told = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' }).stdout ?? '';
  const [, list] = /list: (\S+)/.exec(told) ?? [];
  return (list?.split(',') ?? []).flatMap(part => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
}
