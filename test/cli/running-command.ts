/** Runs a command of the program and collects what it prints. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '../../testkit/gateway/bare-environment.ts';
import type { Ended, Environment } from '../../testkit/gateway/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A command whose output a test reads while it runs. */
export interface RunningCommand {
  readonly child: ChildProcess;
  /** Resolves when its stderr matches. */
  untilPrinted(pattern: RegExp): Promise<void>;
  ended(): Promise<Ended>;
}

export function startCommand(args: readonly string[], env: Environment, stdin = ''): RunningCommand {
  const child = spawn(process.execPath, ['bin/atelier.js', ...args], {
    cwd: root,
    env: { ...bareEnvironment(), ...env },
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  child.stdin.end(stdin);
  const closed = once(child, 'close');
  return {
    child,
    async untilPrinted(pattern) {
      while (!pattern.test(printed.stderr)) {
        if (child.exitCode !== null) throw new Error(`expected ${pattern}, it ended: ${printed.stderr}`);
        await Promise.race([once(child.stderr, 'data'), closed]);
      }
    },
    async ended() {
      const [code] = await closed;
      return { code, ...printed };
    },
  };
}

/** The same at a terminal; everything it shows, as it shows it. The terminal is closed once it showed `last`. */
export async function runAtTerminal(
  args: readonly string[],
  env: Environment,
  last?: RegExp,
): Promise<Ended> {
  const command = [process.execPath, `${root}bin/atelier.js`, ...args]
    .map(argument => `'${argument}'`)
    .join(' ');
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: root,
    env: { ...bareEnvironment(), TERM: 'xterm', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  child.stdout.on('data', () => {
    if (last?.test(printed.stdout)) child.kill('SIGTERM');
  });
  const [code] = await once(child, 'close');
  return { code, ...printed };
}
