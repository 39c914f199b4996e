import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import pg from 'pg';
import { type Connection, type Row, type Statements, StoreUnavailable, type Value } from './connection.ts';

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 15_000;
const poolSize = 10;
/** How often a transaction that lost a deadlock is run again. */
const maxTries = 4;
const channel = 'atelier';
const listenAgainMs = 1_000;
/** Any number, the same in every process: migrations run one at a time. */
const migrationLock = 4_204_918_003;

export interface PostgresOptions {
  readonly url: string;
  /** Told what happens to connections nobody is waiting on. */
  readonly onTrouble: (what: string, cause: unknown) => void;
}

/** PostgreSQL by `pg`. Announcements travel by NOTIFY: a hint, polling stays the truth. */
export async function openPostgres({ url, onTrouble }: PostgresOptions): Promise<Connection> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // A flush that the server skips would break "accepted means kept".
    options: '-c synchronous_commit=on',
    types: { getTypeParser },
  });
  // Without a listener, an idle connection that the server closes would end the process.
  pool.on('error', cause => onTrouble('an idle database connection failed', cause));
  const announcements = new EventEmitter().setMaxListeners(0);
  const stopListening = listen(url, topic => announcements.emit('announced', topic), onTrouble);
  let untold = new Set<string>();
  let closed = false;

  const statementsOf = (client: pg.ClientBase | pg.Pool): Statements => ({
    read: (text, values) => run(client, text, values),
    write: (text, values) => run(client, text, values),
  });

  async function inTransaction<T>(work: (db: Statements, client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const client = await pool.connect().catch(cause => {
        throw asStoreUnavailable(cause);
      });
      let broken: Error | undefined;
      try {
        await client.query('BEGIN');
        const value = await work(statementsOf(client), client);
        await client.query('COMMIT');
        return value;
      } catch (failure) {
        await client.query('ROLLBACK').catch((cause: Error) => (broken = cause));
        if (tries < maxTries && isDeadlock(failure)) continue;
        throw isStorageFault(failure) ? asStoreUnavailable(failure) : failure;
      } finally {
        client.release(broken);
      }
    }
  }

  function tell(): void {
    const topics = JSON.stringify([...untold]);
    untold = new Set();
    // NOTIFY carries at most 8,000 bytes; a longer list is only hints lost.
    if (closed || topics.length > 7_900) return;
    pool
      .query('SELECT pg_notify($1, $2)', [channel, topics])
      .catch(cause => onTrouble('a hint was not sent', cause));
  }

  return {
    dialect: 'postgres',
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    nowMs: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
    ...statementsOf(pool),
    transaction: work => inTransaction(work),
    migrate: work =>
      inTransaction(async (db, client) => {
        await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
        await work({ ...db, script: async text => void (await client.query(text)) });
      }),
    announce: topic => {
      announcements.emit('announced', topic);
      if (untold.size === 0) setImmediate(tell);
      untold.add(topic);
    },
    onAnnounced: listener => {
      announcements.on('announced', listener);
      return () => announcements.off('announced', listener);
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await stopListening();
      await pool.end();
    },
  };
}

async function run(
  client: pg.ClientBase | pg.Pool,
  text: string,
  values: readonly Value[] = [],
): Promise<readonly Row[]> {
  try {
    // A name makes it a prepared statement: parsed and planned once a connection.
    const result = await client.query<Row>({ name: statementName(text), text, values: [...values] });
    return result.rows;
  } catch (failure) {
    throw isStorageFault(failure) ? asStoreUnavailable(failure) : failure;
  }
}

const names = new Map<string, string>();

function statementName(text: string): string {
  let name = names.get(text);
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
    names.set(text, name);
  }
  return name;
}

/** BIGINT and NUMERIC hold times and counts here, never more than 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}

/** A connection of its own that hears other processes; made again whenever it falls. */
function listen(
  url: string,
  hear: (topic: string) => void,
  onTrouble: PostgresOptions['onTrouble'],
): () => Promise<void> {
  let stopped = false;
  let client: pg.Client | undefined;
  let again: NodeJS.Timeout | undefined;

  const retry = (cause: unknown) => {
    if (stopped || again) return;
    onTrouble('hints from other processes are not heard for a moment', cause);
    again = setTimeout(connect, listenAgainMs);
  };
  function connect(): void {
    again = undefined;
    const fresh = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    });
    client = fresh;
    fresh.on('error', cause => {
      fresh.end().catch(() => {});
      retry(cause);
    });
    fresh.on('notification', ({ payload }) => {
      const topics: unknown = JSON.parse(payload ?? '[]');
      if (Array.isArray(topics)) for (const topic of topics) hear(String(topic));
    });
    fresh
      .connect()
      .then(() => fresh.query(`LISTEN ${channel}`))
      .catch(retry);
  }
  connect();
  return async () => {
    stopped = true;
    clearTimeout(again);
    await client?.end().catch(() => {});
  };
}

const codeOf = (failure: unknown): string =>
  failure instanceof Error && 'code' in failure ? String(failure.code) : '';

const isDeadlock = (failure: unknown): boolean => ['40001', '40P01'].includes(codeOf(failure));

/** Connection errors, a login or database that is refused (28, 3D, 55), resources (53), operators (57), the system (58). */
function isStorageFault(failure: unknown): boolean {
  const code = codeOf(failure);
  if (/^(08|28|3D|53|55|57|58|25006)/.test(code) || /^E[A-Z]+$/.test(code)) return true;
  return (
    failure instanceof Error &&
    !('code' in failure) &&
    /connect|terminated|timeout|ended|calling end/i.test(failure.message)
  );
}

function asStoreUnavailable(cause: unknown): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  return new StoreUnavailable(`PostgreSQL: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}
