/** Starts the load generator in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cores } from '../kit/cores.ts';
import type { Load, Offered } from './offer.ts';

/** A load in a process of its own; resolves when it is over. */
export async function startOffer(load: Load, cores?: Cores): Promise<Offered> {
  const program = fileURLToPath(new URL('./offer.ts', import.meta.url));
  const line = [process.execPath, [program, JSON.stringify(load)]] as const;
  const [command, args] = cores ? cores.asLoad(...line) : line;
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`expected the load to end well, got ${code}`);
  return JSON.parse(told) as Offered;
}
