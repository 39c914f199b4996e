/** Announcements between processes by PostgreSQL's LISTEN and NOTIFY. They are hints: polling stays the truth. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Connection } from './connection.ts';

/** Of NOTIFY; all topics of all processes use it. */
const channel = 'atelier';
/** NOTIFY carries at most 8,000 bytes. */
const maxHintBytes = 7_900;
/** For a connection that listens, and the pause before the next one after a failure. */
const connectTimeoutMs = 5_000;
const relistenDelayMs = 1_000;
/** A dead connection reports nothing by itself: how often it is checked, and the timeout of a check. */
const listenCheckIntervalMs = 5_000;
const listenTimeoutMs = 5_000;

/** Reports failures of connections that no caller waits on; `event` is a log message. */
export type OnConnectionError = (event: string, cause: unknown) => void;

/** One per connection pool. */
export interface Announcements extends Pick<Connection, 'announce' | 'onAnnounced'> {
  /** Sends pending hints. Never rejects. */
  flush(): Promise<void>;
  stopListening(): Promise<void>;
}

/**
 * Topics announced in one turn of the event loop are sent as one hint. The connection that listens is opened for the first
 * listener: a command has none.
 */
export function openAnnouncements(
  pool: pg.Pool,
  url: string,
  onConnectionError: OnConnectionError,
): Announcements {
  const emitter = new EventEmitter().setMaxListeners(0);
  /** Each hint names its sender first: a process has already emitted what it announced itself. */
  const sender = `from:${randomUUID()}`;
  let pendingTopics = new Set<string>();
  let stopListening: (() => Promise<void>) | undefined;

  const onHint = ([from, ...topics]: readonly unknown[]) => {
    if (from !== sender) for (const topic of topics) emitter.emit('announced', String(topic));
  };

  async function flush(): Promise<void> {
    if (pendingTopics.size === 0) return;
    const hint = JSON.stringify([sender, ...pendingTopics]);
    pendingTopics = new Set();
    if (hint.length > maxHintBytes) return;
    await pool
      .query('SELECT pg_notify($1, $2)', [channel, hint])
      .catch(cause => onConnectionError('notify failed', cause));
  }

  return {
    announce: topic => {
      emitter.emit('announced', topic);
      if (pendingTopics.size === 0) setImmediate(() => void flush());
      pendingTopics.add(topic);
    },
    onAnnounced: listener => {
      stopListening ??= listen(url, onHint, onConnectionError);
      emitter.on('announced', listener);
      return () => emitter.off('announced', listener);
    },
    flush,
    stopListening: async () => stopListening?.(),
  };
}

/** Listens on a dedicated connection, which is reopened whenever it fails. */
function listen(
  url: string,
  onHint: (hint: readonly unknown[]) => void,
  onConnectionError: OnConnectionError,
): () => Promise<void> {
  let stopped = false;
  let client: pg.Client | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let checkTimer: NodeJS.Timeout | undefined;

  const reconnect = (cause: unknown) => {
    clearTimeout(checkTimer);
    if (stopped || reconnectTimer) return;
    onConnectionError('listen connection lost, reconnecting', cause);
    reconnectTimer = setTimeout(connect, relistenDelayMs);
  };

  function connect(): void {
    reconnectTimer = undefined;
    const opened = openListener(url);
    client = opened;
    const fail = (cause: unknown) => {
      if (client !== opened) return;
      opened.end().catch(() => {});
      reconnect(cause);
    };
    const scheduleCheck = () => {
      if (stopped) return;
      checkTimer = setTimeout(
        () => opened.query('SELECT 1').then(scheduleCheck, fail),
        listenCheckIntervalMs,
      );
    };
    opened.on('error', fail);
    opened.on('notification', ({ payload }) => {
      const hint: unknown = JSON.parse(payload ?? '[]');
      if (Array.isArray(hint)) onHint(hint);
    });
    opened
      .connect()
      .then(() => opened.query(`LISTEN ${channel}`))
      .then(scheduleCheck)
      .catch(fail);
  }

  connect();
  return async () => {
    stopped = true;
    clearTimeout(reconnectTimer);
    clearTimeout(checkTimer);
    await client?.end().catch(() => {});
  };
}

const openListener = (url: string): pg.Client =>
  new pg.Client({
    connectionString: url,
    application_name: 'atelier-listener',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: listenTimeoutMs,
    keepAlive: true,
  });
