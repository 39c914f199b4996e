/** A PostgreSQL server of one test, which it may stop and start. */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../net/free-port.ts';
import { EmbeddedPostgres } from './embedded-postgres.ts';

/** A PostgreSQL of the test's own, which may be taken away from under a gateway. */
export interface OwnPostgres {
  readonly url: string;
  /** As `pg_ctl stop -m immediate`: no goodbye, and the next start recovers. */
  stopNow(): Promise<void>;
  start(flags?: readonly string[]): Promise<void>;
  /** Runs one statement beside the gateway. */
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  remove(): Promise<void>;
}

export async function makePostgres(): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-own-postgres-'));
  await chmod(folder, 0o755);
  const databaseDir = join(folder, 'data');
  const port = await freePort();
  const url = `postgres://atelier:atelier@127.0.0.1:${port}/postgres`;
  const open = (flags: readonly string[]) =>
    new EmbeddedPostgres({ databaseDir, port, persistent: true, flags });
  let server = open([]);
  let isUp = false;

  async function start(flags: readonly string[] = []): Promise<void> {
    server = open(flags);
    await server.start();
    isUp = true;
  }

  async function stopNow(): Promise<void> {
    const [pid] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGQUIT');
    // Waits for its end; the politer signal comes too late.
    await server.stop();
    isUp = false;
  }

  await server.initialise();
  await start();
  return {
    url,
    start,
    stopNow,
    async query(text) {
      const client = new pg.Client(url);
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text)).rows;
      } finally {
        await client.end();
      }
    },
    async remove() {
      if (isUp) await stopNow();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
