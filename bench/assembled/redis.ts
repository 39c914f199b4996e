/** Starts a Redis server that flushes every write, for the assembled gateway with BullMQ. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { freePort } from '../../testkit/net/free-port.ts';
import { endWithUs } from '../kit/servers.ts';

/** A running Redis; `close` ends it and leaves its files. */
export interface RedisServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A Redis that flushes every write before it answers; null where there is no redis-server on the PATH. */
export async function startRedis(folder: string): Promise<RedisServer | null> {
  await mkdir(folder);
  const port = await freePort();
  const settings = {
    bind: '127.0.0.1',
    port,
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const isThere = await once(child, 'spawn').then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  const closed = once(child, 'close');
  endWithUs(child);
  await assertDurable(port);
  return {
    port,
    async close() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

/** Throws where this Redis does not flush every write. */
async function assertDurable(port: number): Promise<void> {
  // The client reconnects by itself until the server is up.
  const client = new Redis({ port, maxRetriesPerRequest: null });
  client.on('error', () => {});
  const setting = await client.config('GET', 'appendfsync');
  client.disconnect();
  if (String(setting) !== 'appendfsync,always')
    throw new Error(`expected appendfsync always, got ${setting}`);
}
