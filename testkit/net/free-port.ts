/** A free port of this machine, for a server that starts later. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below those that systems give to connections, and to servers that ask for any (from 32,768 on Linux, from 49,152 on
 * others): no connection and no server takes such a port by chance before the one it is meant for.
 */
export const freePorts = { from: 16_000, below: 32_000 } as const;

/** Ports of which none is free are a fault of the machine. */
const tries = 100;

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (let n = 0; n < tries; n++) {
    const port = randomInt(freePorts.from, freePorts.below);
    if (await isFree(port)) return port;
  }
  throw new Error(`expected a free port, found none among ${tries}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
