/** Runs a command of the program and collects what it prints. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '../../testkit/bare-environment.ts';
import type { Ended, Environment } from '../../testkit/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A command whose output a test reads while it runs. */
export interface Spoken {
  readonly child: ChildProcess;
  /** Resolves when its stderr matches. */
  heard(words: RegExp): Promise<void>;
  ended(): Promise<Ended>;
}

export function speak(args: readonly string[], env: Environment, stdin = ''): Spoken {
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
    async heard(words) {
      while (!words.test(printed.stderr)) {
        if (child.exitCode !== null) throw new Error(`expected ${words}, it ended: ${printed.stderr}`);
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
export async function speakAtTerminal(
  args: readonly string[],
  env: Environment,
  last?: RegExp,
): Promise<Ended> {
  const words = [process.execPath, `${root}bin/atelier.js`, ...args].map(word => `'${word}'`).join(' ');
  const child = spawn('script', ['-qfec', words, '/dev/null'], {
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
