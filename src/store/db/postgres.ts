import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import pg from 'pg';
import { type Connection, type Row, type Statements, StoreUnavailable, type Value } from './connection.ts';

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 15_000;
/** A server that fell silent, or a network that swallows: longer than any statement may take. */
const queryTimeoutMs = 20_000;
const poolSize = 10;
/** How often a transaction that lost a deadlock is run again. */
const maxAttempts = 4;
const channel = 'atelier';
const relistenDelayMs = 1_000;
/** A line that went dead tells nothing by itself: how often it is tried, and how long for. */
const listenCheckIntervalMs = 5_000;
const listenTimeoutMs = 5_000;
/** Any number, the same in every process: migrations run one at a time. */
const migrationLock = 4_204_918_003;

export interface PostgresOptions {
  readonly url: string;
  /** Told what happens to connections nobody is waiting on. */
  readonly onConnectionError: (what: string, cause: unknown) => void;
}

/** PostgreSQL by `pg`. Announcements travel by NOTIFY: a hint, polling stays the truth. */
export async function openPostgres({ url, onConnectionError }: PostgresOptions): Promise<Connection> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'atelier',
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    // A flush that the server skips would break "accepted means kept".
    options: '-c synchronous_commit=on',
    types: { getTypeParser },
  });
  // Without a listener, an idle connection that the server closes would end the process.
  pool.on('error', cause => onConnectionError('an idle database connection failed', cause));
  // The pool looks away while a connection is in use: it may fail between two statements, which would end it too.
  pool.on('connect', client => client.on('error', () => {}));
  const announcements = new EventEmitter().setMaxListeners(0);
  /** What this process tells it knows already: each hint names its sender first. */
  const sender = `from:${randomUUID()}`;
  const hear = ([from, ...topics]: readonly unknown[]) => {
    if (from !== sender) for (const topic of topics) announcements.emit('announced', String(topic));
  };
  const stopListening = listen(url, hear, onConnectionError);
  let untold = new Set<string>();
  let closed = false;

  const inPool: Statements = {
    read: (text, values) => run(pool, text, values),
    write: (text, values) => run(pool, text, values, true),
  };
  const inside = (client: pg.ClientBase): Statements => ({
    read: (text, values) => run(client, text, values),
    write: (text, values) => run(client, text, values),
  });

  async function inTransaction<T>(work: (db: Statements, client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const client = await pool.connect().catch(cause => {
        throw asStoreUnavailable(cause);
      });
      let broken: Error | undefined;
      let isCommitting = false;
      try {
        await client.query('BEGIN');
        const value = await work(inside(client), client);
        isCommitting = true;
        await client.query('COMMIT');
        return value;
      } catch (failure) {
        // A connection that does not answer is not asked again.
        if (isStorageFault(failure)) broken = asStoreUnavailable(failure);
        else await client.query('ROLLBACK').catch((cause: Error) => (broken = cause));
        if (tries < maxAttempts && isDeadlock(failure)) continue;
        throw isStorageFault(failure) ? asStoreUnavailable(failure, isCommitting) : failure;
      } finally {
        client.release(broken);
      }
    }
  }

  async function tell(): Promise<void> {
    if (untold.size === 0) return;
    const hint = JSON.stringify([sender, ...untold]);
    untold = new Set();
    // NOTIFY carries at most 8,000 bytes; a longer list is only hints lost.
    if (hint.length > 7_900) return;
    await pool
      .query('SELECT pg_notify($1, $2)', [channel, hint])
      .catch(cause => onConnectionError('a hint was not sent', cause));
  }

  return {
    dialect: 'postgres',
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    nowMs: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
    ...inPool,
    transaction: work => inTransaction(work),
    migrate: work =>
      inTransaction(async (db, client) => {
        await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
        await work({ ...db, script: async text => void (await client.query(text)) });
      }),
    announce: topic => {
      announcements.emit('announced', topic);
      if (untold.size === 0) setImmediate(() => void tell());
      untold.add(topic);
    },
    onAnnounced: listener => {
      announcements.on('announced', listener);
      return () => announcements.off('announced', listener);
    },
    close: async () => {
      if (closed) return;
      closed = true;
      // A command ends right after what it announces.
      await tell();
      await stopListening();
      await pool.end();
    },
  };
}

/** The oldest one whose makers still mended it when this was written. */
const minVersion = 14;

/** What decides whether a commit is kept. */
export interface PostgresSettings {
  readonly version: number;
  readonly fsync: string;
  readonly synchronousCommit: string;
}

export async function readPostgresSettings(db: Statements): Promise<PostgresSettings> {
  const [row] = await db.read(
    `SELECT current_setting('server_version_num') AS version, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS synchronous_commit`,
  );
  if (!row) throw new Error('expected a row of settings');
  return {
    version: Math.floor(Number(row.version) / 10_000),
    fsync: String(row.fsync),
    synchronousCommit: String(row.synchronous_commit),
  };
}

/** Null: what is committed is kept. Otherwise one sentence. */
export function findUnsafePostgresSetting({
  version,
  fsync,
  synchronousCommit,
}: PostgresSettings): string | null {
  if (version < minVersion)
    return `PostgreSQL ${minVersion} or newer is needed, ATELIER_DATABASE_URL leads to ${version}.`;
  if (fsync !== 'on')
    return 'PostgreSQL runs with fsync off and would lose accepted jobs: set fsync = on in postgresql.conf.';
  if (synchronousCommit === 'off')
    return 'PostgreSQL runs with synchronous_commit off and would lose accepted jobs: let nothing between it and ATELIER_DATABASE_URL turn it off.';
  return null;
}

async function run(
  client: pg.ClientBase | pg.Pool,
  text: string,
  values: readonly Value[] = [],
  isOwnCommit = false,
): Promise<readonly Row[]> {
  try {
    // A name makes it a prepared statement: parsed and planned once a connection.
    const result = await client.query<Row>({ name: statementName(text), text, values: [...values] });
    return result.rows;
  } catch (failure) {
    throw isStorageFault(failure) ? asStoreUnavailable(failure, isOwnCommit) : failure;
  }
}

const statementNames = new Map<string, string>();

function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
    statementNames.set(text, name);
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
  hear: (hint: readonly unknown[]) => void,
  onTrouble: PostgresOptions['onConnectionError'],
): () => Promise<void> {
  let stopped = false;
  let client: pg.Client | undefined;
  let again: NodeJS.Timeout | undefined;
  let trial: NodeJS.Timeout | undefined;

  const retry = (cause: unknown) => {
    clearTimeout(trial);
    if (stopped || again) return;
    onTrouble('hints from other processes are not heard for a moment', cause);
    again = setTimeout(connect, relistenDelayMs);
  };
  function connect(): void {
    again = undefined;
    const fresh = new pg.Client({
      connectionString: url,
      application_name: 'atelier-listener',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: listenTimeoutMs,
      keepAlive: true,
    });
    client = fresh;
    const give = (cause: unknown) => {
      if (client !== fresh) return;
      fresh.end().catch(() => {});
      retry(cause);
    };
    const tryIt = () => {
      if (stopped) return;
      trial = setTimeout(() => fresh.query('SELECT 1').then(tryIt, give), listenCheckIntervalMs);
    };
    fresh.on('error', give);
    fresh.on('notification', ({ payload }) => {
      const hint: unknown = JSON.parse(payload ?? '[]');
      if (Array.isArray(hint)) hear(hint);
    });
    fresh
      .connect()
      .then(() => fresh.query(`LISTEN ${channel}`))
      .then(tryIt)
      .catch(give);
  }
  connect();
  return async () => {
    stopped = true;
    clearTimeout(again);
    clearTimeout(trial);
    await client?.end().catch(() => {});
  };
}

const codeOf = (failure: unknown): string =>
  failure instanceof Error && 'code' in failure ? String(failure.code) : '';

const isDeadlock = (failure: unknown): boolean => ['40001', '40P01'].includes(codeOf(failure));

/** Connection errors, a login or database that is refused (28, 3D, 55), resources (53), operators (57), the system (58). */
function isStorageFault(failure: unknown): boolean {
  if (failure instanceof StoreUnavailable) return true;
  const code = codeOf(failure);
  if (/^(08|28|3D|53|55|57|58|25006)/.test(code) || /^E[A-Z_]+$/.test(code)) return true;
  return (
    failure instanceof Error &&
    !('code' in failure) &&
    /connect|terminated|timeout|ended|calling end/i.test(failure.message)
  );
}

function asStoreUnavailable(cause: unknown, inDoubt = false): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  const message = `PostgreSQL: ${cause instanceof Error ? cause.message || codeOf(cause) : String(cause)}`;
  return new StoreUnavailable(message, { cause, inDoubt });
}
