/** Runs the commands of `atelier` and serves a gateway in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { programPath } from '../run/programs.ts';
import { bareEnvironment } from './bare-environment.ts';
import { type Ended, type Environment, runInSharedProcess } from './command-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export type { Ended, Environment };

export interface RunOptions {
  readonly env?: Environment;
  /** Which Node runs it; the one of this test unless another is named. */
  readonly node?: string;
  /** The checkout that is run. */
  readonly from?: string;
  /** What follows `serve`. */
  readonly flags?: readonly string[];
}

/** They have a process of their own: one listens for signals, the other reads stdin. */
const longCommands = ['serve', 'mcp'];

/**
 * Runs `atelier <args>` as a user does, to its end. Nothing of this process's own settings reaches it. Most commands
 * share a process, which starts them as `bin/atelier.js` does.
 */
export async function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { env = {}, node, from } = options;
  const isShared = node === undefined && from === undefined && !longCommands.includes(args[0] ?? '');
  return isShared ? runInSharedProcess(args, env) : runInOwnProcess(args, options);
}

/** The same by `bin/atelier.js`, in a process that ends with the command. */
export async function runInOwnProcess(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { child, told } = start(args, options);
  const [code] = await once(child, 'close');
  return { code, stdout: told.stdout, stderr: told.stderr };
}

/** A gateway in a process of its own. */
export interface Served {
  readonly url: string;
  readonly pid: number;
  /** What it has said on stdout until now. */
  banner(): string;
  /** The key of the very first start, from the file that the banner names; empty at every other start. */
  firstKey(): string;
  /** What it has logged until now, a line of JSON each. */
  log(): string;
  /** Resolves when it ended by itself; the exit code. */
  ended(): Promise<number | null>;
  /** Sends a signal and resolves when the process is gone; the exit code, null when the signal took it. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

/** Runs `atelier serve` on any free port and resolves when its banner names the address. */
export async function serve(options: RunOptions = {}): Promise<Served> {
  const { child, told } = start(['serve', ...(options.flags ?? [])], {
    ...options,
    env: { ATELIER_PORT: '0', ...options.env },
  });
  const closed = once(child, 'close');
  let gone = false;
  void closed.then(() => (gone = true));
  for (;;) {
    // The banner comes whole and ends with a blank line.
    const url = /Address\s+(http:\S+)\n[\s\S]*\n\n$/.exec(told.stdout)?.[1];
    if (url !== undefined) {
      return {
        url,
        pid: child.pid!,
        banner: () => told.stdout,
        firstKey: () => firstKeyIn(told.stdout),
        log: () => told.stderr,
        ended: async () => (await closed)[0],
        async end(signal) {
          child.kill(signal);
          return (await closed)[0];
        },
      };
    }
    if (gone) throw new Error(`expected a banner, the program ended: ${told.stderr}`);
    await Promise.race([once(child.stdout!, 'data'), closed]);
  }
}

/** The key in the file that a banner names; empty where it names none. */
export function firstKeyIn(banner: string): string {
  const path = /^ {4}(\/.*\/first-key)$/m.exec(banner)?.[1];
  return path === undefined ? '' : readFileSync(path, 'utf8').trim();
}

function start(args: readonly string[], { env = {}, node = process.execPath, from = root }: RunOptions) {
  const program = from === root ? programPath('bin/atelier.js') : 'bin/atelier.js';
  const child: ChildProcess = spawn(node, [program, ...args], {
    cwd: from,
    env: { ...bareEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const told = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (told.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (told.stderr += text));
  return { child, told };
}
