/** PostgreSQL behind the connection seam: a pool by `pg`, transactions that survive deadlocks, announcements. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Connection, Row, Statements, Value } from './connection.ts';
import { asStoreUnavailable, isDeadlock, isStorageFault } from './postgres-errors.ts';
import { type OnConnectionError, openAnnouncements } from './postgres-notify.ts';

/** For a connection of the pool, and the server's limit for a statement. */
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 15_000;
/** For a silent server or network; longer than the server's own limit for a statement. */
const queryTimeoutMs = 20_000;
/** Connections of one process. */
const poolSize = 10;
/** How often a transaction that lost a deadlock is run, the first time included. */
const maxAttempts = 4;
/** Any number, the same in every process: migrations run one at a time. */
const migrationLock = 4_204_918_003;

/** `url` is a `postgres://` connection string. */
export interface PostgresOptions {
  readonly url: string;
  readonly onConnectionError: OnConnectionError;
}

/** Connects lazily: an unreachable server fails the first statement. */
export async function openPostgres({ url, onConnectionError }: PostgresOptions): Promise<Connection> {
  const pool = openPool(url, onConnectionError);
  const { announce, onAnnounced, flush, stopListening } = openAnnouncements(pool, url, onConnectionError);
  let closed = false;

  return {
    dialect: 'postgres',
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    nowMs: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
    read: (text, values) => run(pool, text, values),
    write: (text, values) => run(pool, text, values, true),
    transaction: work => inTransaction(pool, work),
    migrate: work =>
      inTransaction(pool, async (db, client) => {
        await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
        await work({ ...db, script: async text => void (await client.query(text)) });
      }),
    announce,
    eraseDeleted: async () => {},
    onAnnounced,
    close: async () => {
      if (closed) return;
      closed = true;
      // A command announces and ends at once.
      await flush();
      await stopListening();
      await pool.end();
    },
  };
}

function openPool(url: string, onConnectionError: OnConnectionError): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'atelier',
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    // An asynchronous commit would break "accepted means durable".
    options: '-c synchronous_commit=on',
    types: { getTypeParser },
  });
  // Without a listener, an idle connection that the server closes would end the process.
  pool.on('error', cause => onConnectionError('idle database connection failed', cause));
  // The pool does not listen on a connection in use, which may fail between two statements; that would end it, too.
  pool.on('connect', client => client.on('error', () => {}));
  return pool;
}

/** Runs `work` again after a deadlock or serialization failure, on a fresh transaction. */
async function inTransaction<T>(
  pool: pg.Pool,
  work: (db: Statements, client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect().catch(cause => {
      throw asStoreUnavailable(cause);
    });
    let broken: Error | undefined;
    let isCommitting = false;
    try {
      await client.query('BEGIN');
      const value = await work(statementsOf(client), client);
      isCommitting = true;
      await client.query('COMMIT');
      return value;
    } catch (failure) {
      // A connection that does not respond is discarded, not rolled back.
      if (isStorageFault(failure)) broken = asStoreUnavailable(failure);
      else await client.query('ROLLBACK').catch((cause: Error) => (broken = cause));
      if (attempt < maxAttempts && isDeadlock(failure)) continue;
      throw isStorageFault(failure) ? asStoreUnavailable(failure, isCommitting) : failure;
    } finally {
      client.release(broken);
    }
  }
}

/** Statements of a transaction, on its own connection. */
const statementsOf = (client: pg.ClientBase): Statements => ({
  read: (text, values) => run(client, text, values),
  write: (text, values) => run(client, text, values),
});

/** `commits`: the statement is its own transaction, so a lost response leaves its commit uncertain. */
async function run(
  client: pg.ClientBase | pg.Pool,
  text: string,
  values: readonly Value[] = [],
  commits = false,
): Promise<readonly Row[]> {
  try {
    // A name makes it a prepared statement: parsed and planned once per connection.
    const result = await client.query<Row>({ name: statementName(text), text, values: [...values] });
    return result.rows;
  } catch (failure) {
    throw isStorageFault(failure) ? asStoreUnavailable(failure, commits) : failure;
  }
}

/** By text; texts are constants of the program, so there are few. */
const statementNames = new Map<string, string>();

/** Stable per text, so that a statement is planned once per connection. */
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
    statementNames.set(text, name);
  }
  return name;
}

/** BIGINT and NUMERIC columns are times and counts here, never more than 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
