/** Starts the servers of a benchmark, each in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A server in its own process that has printed its address. */
export interface Started {
  readonly url: string;
  /** Everything that it printed until now. */
  readonly banner: string;
  end(): Promise<void>;
}

/** Runs a program of this repository on a free port, without this process's environment; resolves after its banner. */
export async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Started> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ATELIER_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let banner = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (banner += text));
  const closed = once(child, 'close');
  endWithUs(child);
  const gone = closed.then(() => Promise.reject(new Error(`expected ${args[0]} to keep running`)));
  gone.catch(() => {});
  // A banner is printed at once and ends with a blank line.
  while (!(urlIn(banner) && banner.endsWith('\n\n'))) await Promise.race([once(child.stdout, 'data'), gone]);
  return {
    url: urlIn(banner),
    banner,
    async end() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

/** Kills the child when this process ends, however it ends. */
export function endWithUs(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
}

const urlIn = (banner: string): string => /Address +(http\S+)/.exec(banner)?.[1] ?? '';
