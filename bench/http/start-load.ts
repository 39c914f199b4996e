/** Starts the load generator as a child process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cores } from '../kit/cores.ts';
import type { Load, LoadResult } from './load.ts';

/** Resolves with the result when the load is over. `cores`: it runs on the core of the load. */
export async function startLoad(load: Load, cores?: Cores): Promise<LoadResult> {
  const program = fileURLToPath(new URL('./load.ts', import.meta.url));
  const line = [process.execPath, [program, JSON.stringify(load)]] as const;
  const [command, args] = cores ? cores.asLoad(...line) : line;
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`expected the load to exit with 0, got ${code}`);
  return JSON.parse(output) as LoadResult;
}
