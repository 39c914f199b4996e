/** Starts the servers of a benchmark, each in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A server in a process of its own that has told its address. */
export interface Started {
  readonly url: string;
  /** All that it said. */
  readonly told: string;
  end(): Promise<void>;
}

/** Runs a program of this repository on any free port, nothing of this process's own settings in it. */
export async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Started> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ATELIER_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
  const closed = once(child, 'close');
  endWithUs(child);
  const gone = closed.then(() => Promise.reject(new Error(`expected ${args[0]} to stay`)));
  gone.catch(() => {});
  // A banner comes whole and ends with a blank line.
  while (!(urlIn(told) && told.endsWith('\n\n'))) await Promise.race([once(child.stdout, 'data'), gone]);
  return {
    url: urlIn(told),
    told,
    async end() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

/** However this process ends, the child does not outlive it. */
export function endWithUs(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
}

const urlIn = (told: string): string => /Address +(http\S+)/.exec(told)?.[1] ?? '';
