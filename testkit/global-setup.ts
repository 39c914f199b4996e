/** What a run of tests prepares once: PostgreSQL, a migrated template of both databases, and the processes of a fleet. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../src/store/db/migrate.ts';
import { openSqlite } from '../src/store/db/sqlite.ts';
import { makeDatabase } from './databases/databases.ts';
import { EmbeddedPostgres } from './databases/embedded-postgres.ts';
import { type StartedHosts, startHosts } from './gateway/fleet-gateway.ts';
import { freePort } from './net/free-port.ts';

/** A real PostgreSQL for the whole run; tests make databases of their own in it. */
let server: EmbeddedPostgres | undefined;
let folder: string | undefined;
let hosts: StartedHosts | undefined;

export async function globalSetup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'atelier-postgres-'));
  // The server runs as a user of its own where we are root.
  await chmod(folder, 0o755);
  const port = await freePort();
  server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    persistent: false,
    flags: ['-c', 'max_connections=400'],
  });
  await server.initialise();
  await server.start();
  process.env.TEST_POSTGRES_URL = `postgres://atelier:atelier@127.0.0.1:${port}`;
  await makePostgresTemplate(process.env.TEST_POSTGRES_URL);
  await makeSqliteTemplate(join(folder, 'template.db'));
  if (process.env.TEST_FLEET === undefined) return;
  hosts = await startHosts();
  process.env.TEST_FLEET_HOSTS = hosts.serialized;
}

/** A database that is migrated already: a copy of it is made faster than the schema. */
async function makePostgresTemplate(url: string): Promise<void> {
  const name = 'atelier_template';
  await server?.createDatabase(name);
  const made = await makeDatabase('postgres', { url: `${url}/${name}`, drop: async () => {} });
  await made.remove();
  process.env.TEST_POSTGRES_TEMPLATE = name;
}

/** A file that is migrated already, closed so that all of it is in the one file. */
async function makeSqliteTemplate(path: string): Promise<void> {
  const db = openSqlite(path);
  await migrate(db, Date.now());
  await db.close();
  process.env.TEST_SQLITE_TEMPLATE = path;
}

export async function globalTeardown(): Promise<void> {
  await hosts?.stop();
  await server?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
}
