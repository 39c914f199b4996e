/** Databases of a test: SQLite in a folder, or one in the PostgreSQL of the run. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { openStore } from '../../src/app/open-store.ts';
import { sqlitePath } from '../../src/app/start-checks.ts';
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
  const template = dialect === 'postgres' ? postgresTemplate() : sqliteTemplate();
  const made = given ?? (dialect === 'postgres' ? await makePostgres() : null);
  if (made === null) await copyMigrated(folder);
  const opened: Connection[] = [];
  const connect = async () => {
    const db = await openStore(
      { databaseUrl: made?.url ?? null, dataDir: folder },
      pino({ level: 'silent' }),
    );
    opened.push(db);
    return db;
  };
  // A connection costs more CPU than a short test: where all is there, the first one is that of the test.
  if (given !== undefined || template === undefined) await migrate(await connect(), Date.now());
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

/** Migrated once for the run, by its setup; absent in that setup itself. */
const postgresTemplate = () => process.env.TEST_POSTGRES_TEMPLATE;
const sqliteTemplate = () => process.env.TEST_SQLITE_TEMPLATE;

/** Puts a migrated SQLite database into an empty data folder; nothing where the run has prepared none. */
export async function copyMigrated(dataDir: string): Promise<void> {
  const template = sqliteTemplate();
  if (template !== undefined) await copyFile(template, sqlitePath(dataDir));
}

async function makePostgres(): Promise<Made> {
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) throw new Error('expected a PostgreSQL; run the tests by npm test');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = postgresTemplate() ?? 'template1';
  // Copied by its files: written to the log page by page, it takes twice the CPU.
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return { url: `${server}/${name}`, drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

/** One for each server of this process: a connection costs as much CPU as most tests. It keeps no process alive. */
const servers = new Map<string, pg.Pool>();

async function onServer(server: string, statement: string): Promise<void> {
  let pool = servers.get(server);
  if (pool === undefined) {
    pool = new pg.Pool({ connectionString: `${server}/postgres`, max: 2, allowExitOnIdle: true });
    // The server ends before the process that started it.
    pool.on('error', () => {});
    servers.set(server, pool);
  }
  await pool.query(statement);
}
