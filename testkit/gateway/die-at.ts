/** Starts a gateway that dies at a given statement and lets a client meet it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { programPath } from '../run/programs.ts';
import { bareEnvironment } from './bare-environment.ts';
import type { Environment } from './program.ts';

/** A statement at which the program dies. */
export interface Failpoint {
  readonly side: 'before' | 'after';
  /** Stand in the statement. */
  readonly words: string;
  /** Given to it; any when absent. */
  readonly value?: string;
}

/** Starts the program with its failpoint and lets a client meet it; resolves when the process is dead. */
export async function dieAt(
  { side, words, value }: Failpoint,
  env: Environment,
  meanwhile: (url: string) => Promise<unknown> = async () => {},
): Promise<void> {
  const program = programPath('testkit/gateway/serve-with-failpoint.ts');
  const child = spawn(process.execPath, [program, side, words, ...(value === undefined ? [] : [value])], {
    env: { ...bareEnvironment(), ATELIER_PORT: '0', ATELIER_ALLOW_PRIVATE_NETWORK: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), closed]);
  // It may die before it prints its address, and before it answers.
  if (typeof url === 'string') await meanwhile(url).catch(() => null);
  const [, signal] = await closed;
  if (signal !== 'SIGKILL') throw new Error(`expected the program to die at ${words}, it ended by ${signal}`);
}
