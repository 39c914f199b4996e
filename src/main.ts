import { mkdir, rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { openAdmission } from './admission/admit.ts';
import { openAuthenticate } from './admission/authenticate.ts';
import { openMediaGate } from './admission/keep-media.ts';
import { openRate } from './admission/rate.ts';
import { openDiskBlobs } from './blobs/disk.ts';
import { openSigner } from './blobs/signature.ts';
import type { Config } from './config.ts';
import { type Clock, systemClock } from './domain/clock.ts';
import { createApp, createHealthApp } from './http/app.ts';
import { openJobWatch } from './http/job-watch.ts';
import { openOutbound } from './media/connect.ts';
import { openProber } from './media/prober.ts';
import { openMetrics } from './metrics.ts';
import { openLocalProvider } from './providers/local.ts';
import { openRenderEngine } from './render/engine.ts';
import { openSecrets } from './secrets.ts';
import type { Connection } from './store/connection.ts';
import { migrate } from './store/migrate.ts';
import { openPositions } from './store/positions.ts';
import { openPostgres } from './store/postgres.ts';
import { lockFolder, openSqlite } from './store/sqlite.ts';
import { rescue, startMaintenance } from './worker/maintain.ts';
import { startWorker, type Worker } from './worker/worker.ts';

/** A running gateway. */
export interface Gateway {
  /** Base of every address in its answers. */
  readonly url: string;
  readonly db: Connection;
  /** Stops accepting, finishes what is in flight, hands back what is held. */
  close(): Promise<void>;
}

/** Thrown when the start is refused; the message says what to do. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

/** The composition root: the only place that knows every adapter. */
export async function openGateway(config: Config, log: Logger, clock: Clock = systemClock): Promise<Gateway> {
  const closers: (() => Promise<void> | void)[] = [];
  /** Registers what is to be closed; the last opened is closed first. */
  const closing = <T>(opened: T, close: (opened: T) => Promise<void> | void): T => {
    closers.unshift(() => close(opened));
    return opened;
  };
  const close = async () => {
    for (const closer of closers.splice(0)) await closer();
  };

  try {
    await mkdir(config.dataDir, { recursive: true });
    if (config.databaseUrl === null) closing(lockDataFolder(config.dataDir), lock => lock.release());
    const { secret } = await openSecrets(config);
    const db = closing(await openStore(config, log), opened => opened.close());
    await migrate(db, clock.now());
    const blobs = await openDiskBlobs(join(config.dataDir, 'blobs'));
    const [spool, workFolder, renderFolder] = await openLocalFolders(config.dataDir);
    const prober = closing(openProber(), opened => opened.close());
    const metrics = openMetrics(db, clock);
    let publicUrl = config.publicUrl ?? '';
    let worker: Worker | null = null;

    const common = {
      db,
      blobs,
      clock,
      prober,
      log,
      spool,
      publicUrl: () => publicUrl,
      metrics: () => metrics.text(),
      whyNotReady: async () => {
        const storage = await whyStorageIsNotReady(db, blobs);
        return (
          storage ??
          (config.role === 'api' ? null : worker ? worker.whyNotReady() : 'the worker has not started')
        );
      },
    };
    let app: FastifyInstance;
    if (config.role === 'worker') app = createHealthApp(common);
    else {
      const signer = openSigner(secret);
      const positions = openPositions(db, clock);
      const mediaGate = openMediaGate({ ...common, signer });
      const watch = openJobWatch(db);
      app = createApp({
        ...common,
        signer,
        positions,
        watch,
        authenticate: openAuthenticate(db, clock),
        takeFromRate: openRate(config.limits.queue, clock),
        admission: openAdmission({
          db,
          clock,
          positions,
          mediaGate,
          allowPrivateNetwork: config.allowPrivateNetwork,
        }),
      });
      app.addHook('preClose', () => watch.close());
    }
    app.addHook('onResponse', async (request, reply) => {
      metrics.requestAnswered(
        request.routeOptions.url ?? 'unknown',
        request.method,
        reply.statusCode,
        reply.elapsedTime / 1000,
      );
    });
    closing(app, opened => opened.close());
    publicUrl ||= await listen(app, config);

    // One process at a time has this folder, so whoever held a job before is dead.
    if (db.dialect === 'sqlite') await rescue({ db, blobs, clock, log }, 0);
    closing(
      startMaintenance({ db, blobs, clock, log }, { hasNeighbours: db.dialect === 'postgres' }),
      opened => opened.stop(),
    );
    if (config.role !== 'api') {
      const outbound = closing(openOutbound({ allowPrivate: config.allowPrivateNetwork }), opened =>
        opened.close(),
      );
      const engine = closing(openRenderEngine({ concurrency: config.localConcurrency }), opened =>
        opened.close(),
      );
      const provider = openLocalProvider({
        engine,
        concurrency: config.localConcurrency,
        folder: renderFolder,
      });
      worker = closing(
        await startWorker({
          db,
          blobs,
          clock,
          prober,
          outbound,
          provider,
          workFolder,
          log,
          onSettled: metrics.jobSettled,
        }),
        opened => opened.stop(),
      );
    } else await app.ready();
    return { url: publicUrl, db, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

/** The rows alone, for commands beside the server. */
export async function openStore(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
): Promise<Connection> {
  if (config.databaseUrl === null) return openSqlite(join(config.dataDir, 'atelier.db'));
  return openPostgres({
    url: config.databaseUrl,
    onTrouble: (what, cause) => log.warn({ err: cause }, what),
  });
}

function lockDataFolder(dataDir: string) {
  const lock = lockFolder(join(dataDir, 'serve.lock'));
  if (lock) return lock;
  throw new StartRefused(
    `Another gateway already serves from ${dataDir}. Stop it, or set ATELIER_DATA_DIR to another folder.`,
  );
}

/** Emptied at start: what lies there belonged to a process that is gone. */
async function openLocalFolders(dataDir: string): Promise<[string, string, string]> {
  const names = ['spool', 'work', 'render'] as const;
  for (const name of names) {
    await rm(join(dataDir, name), { recursive: true, force: true });
    await mkdir(join(dataDir, name), { recursive: true });
  }
  return [join(dataDir, 'spool'), join(dataDir, 'work'), join(dataDir, 'render')];
}

async function whyStorageIsNotReady(
  db: Connection,
  blobs: { check(): Promise<void> },
): Promise<string | null> {
  try {
    await db.read('SELECT 1 AS one');
  } catch {
    return 'the database is away';
  }
  try {
    await blobs.check();
    return null;
  } catch {
    return 'the blobs cannot be written';
  }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  await app.listen({ host, port }).catch(failure => {
    const inUse = failure instanceof Error && 'code' in failure && failure.code === 'EADDRINUSE';
    throw inUse
      ? new StartRefused(
          `Port ${port} on ${host} is in use. Set ATELIER_PORT to another one (0 = any free one).`,
        )
      : failure;
  });
  const address = app.server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`;
}
