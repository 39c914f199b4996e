import { mkdir } from 'node:fs/promises';
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
import type { Blobs } from './domain/blobs.ts';
import { type Clock, systemClock } from './domain/clock.ts';
import { createApp, createHealthApp } from './http/app.ts';
import { openJobWatch } from './http/job-watch.ts';
import type { HttpParts } from './http/parts.ts';
import { type LocalFolder, openLocalFolder } from './local-folder.ts';
import { openOutbound } from './media/connect.ts';
import { openProber, type Prober } from './media/prober.ts';
import { type Metrics, openMetrics } from './metrics.ts';
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

/** Remembers what was opened; closes the last opened first. */
interface Closers {
  add<T>(opened: T, close: (opened: T) => Promise<void> | void): T;
  closeAll(): Promise<void>;
}

/** What every role is made of. */
interface Common {
  readonly config: Config;
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  readonly metrics: Metrics;
  readonly local: LocalFolder;
  readonly log: Logger;
}

/** The composition root: the only place that knows every adapter. */
export async function openGateway(config: Config, log: Logger, clock: Clock = systemClock): Promise<Gateway> {
  const closers = openClosers();
  try {
    await mkdir(config.dataDir, { recursive: true });
    if (config.databaseUrl === null) closers.add(lockDataFolder(config.dataDir), lock => lock.release());
    const db = closers.add(await openStore(config, log), opened => opened.close());
    await migrate(db, clock.now());
    const blobs = await openDiskBlobs(join(config.dataDir, 'blobs'));
    const local = closers.add(await openLocalFolder(join(config.dataDir, 'run')), opened => opened.remove());
    const prober = closers.add(openProber(), opened => opened.close());
    const metrics = openMetrics(db, clock);
    const common: Common = { config, db, blobs, clock, prober, metrics, local, log };

    // One process at a time has an SQLite folder, so whoever held a job before is dead.
    const isAlone = db.dialect === 'sqlite';
    if (isAlone) await rescue({ db, blobs, clock, log }, 0);
    const chores = startMaintenance({ db, blobs, clock, log }, { hasNeighbours: !isAlone });
    closers.add(chores, opened => opened.stop());
    const worker = config.role === 'api' ? null : await openWorker(common, closers);
    // Opened last and so closed first: a stop begins with accepting nothing more.
    const url = await openHttp(common, worker, closers);
    await worker?.tried;
    return { url, db, close: closers.closeAll };
  } catch (failure) {
    await closers.closeAll();
    throw failure;
  }
}

async function openWorker(common: Common, closers: Closers): Promise<Worker> {
  const { config, clock, local, metrics } = common;
  const outbound = closers.add(openOutbound({ allowPrivate: config.allowPrivateNetwork }), opened =>
    opened.close(),
  );
  const engine = closers.add(openRenderEngine({ concurrency: config.localConcurrency }), opened =>
    opened.close(),
  );
  const provider = openLocalProvider({
    engine,
    clock,
    concurrency: config.localConcurrency,
    folder: await local.make('render'),
  });
  const workFolder = await local.make('work');
  const parts = { ...common, outbound, provider, workFolder, onSettled: metrics.jobSettled };
  return closers.add(await startWorker(parts), opened => opened.stop());
}

/** Serves what the role has to serve; returns the base of its addresses. */
async function openHttp(common: Common, worker: Worker | null, closers: Closers): Promise<string> {
  const { config, metrics } = common;
  let publicUrl = config.publicUrl ?? '';
  const parts = {
    ...common,
    publicUrl: () => publicUrl,
    metrics: metrics.text,
    whyNotReady: async () => (await whyStorageIsNotReady(common)) ?? worker?.whyNotReady() ?? null,
  };
  const app = config.role === 'worker' ? createHealthApp(parts) : await openApi(parts, common);
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestAnswered(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
  });
  closers.add(app, opened => opened.close());
  publicUrl ||= await listen(app, config);
  return publicUrl;
}

type OpenParts = Pick<HttpParts, 'publicUrl' | 'metrics' | 'whyNotReady'>;

async function openApi(open: OpenParts, common: Common): Promise<FastifyInstance> {
  const { config, db, blobs, clock, prober, local, log } = common;
  const { secret } = await openSecrets(config);
  const base = {
    ...open,
    db,
    blobs,
    clock,
    prober,
    log,
    signer: openSigner(secret),
    spool: await local.make('spool'),
  };
  const positions = openPositions(db, clock);
  const mediaGate = openMediaGate(base);
  const watch = openJobWatch(db);
  const app = createApp({
    ...base,
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
  return app;
}

function openClosers(): Closers {
  const closers: (() => Promise<void> | void)[] = [];
  return {
    add(opened, close) {
      closers.unshift(() => close(opened));
      return opened;
    },
    async closeAll() {
      for (const closer of closers.splice(0)) await closer();
    },
  };
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

async function whyStorageIsNotReady({ db, blobs }: Pick<Common, 'db' | 'blobs'>): Promise<string | null> {
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
