/** Databases of a test: SQLite in a folder, or one in the PostgreSQL of the run. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { openStore } from '../../src/app/open-store.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { isFleet } from '../gateway/fleet-gateway.ts';

export type Dialect = Connection['dialect'];
/** A fleet has one alone. */
export const dialects: readonly Dialect[] = isFleet ? ['postgres'] : ['sqlite', 'postgres'];

/** A database of the test's own. */
export interface TestDatabase {
  /** Null: SQLite in the folder. */
  readonly url: string | null;
  readonly folder: string;
  /** Another connection to it, as another process would have. */
  connect(): Promise<Connection>;
  remove(): Promise<void>;
}

/** A database in a PostgreSQL; dropped at the end. */
export interface Made {
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes an empty database, migrated; where one is given, it is that. */
export async function makeDatabase(dialect: Dialect, given?: Made): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-test-'));
  const made = given ?? (dialect === 'postgres' ? await makePostgres() : null);
  const opened: Connection[] = [];
  const connect = async () => {
    const db = await openStore(
      { databaseUrl: made?.url ?? null, dataDir: folder },
      pino({ level: 'silent' }),
    );
    opened.push(db);
    return db;
  };
  await migrate(await connect(), Date.now());
  return {
    url: made?.url ?? null,
    folder,
    connect,
    async remove() {
      for (const db of opened) await db.close();
      await made?.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makePostgres(): Promise<Made> {
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) throw new Error('expected a PostgreSQL; run the tests by npm test');
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Migrated once for the run, by the setup of it.
  const template = process.env.TEST_POSTGRES_TEMPLATE ?? 'template1';
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return { url: `${server}/${name}`, drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client(`${server}/postgres`);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
