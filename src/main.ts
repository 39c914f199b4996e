import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { candidatesOf, openAccounts } from './accounts.ts';
import { openAdmission } from './admission/admit.ts';
import { openAuthenticate } from './admission/authenticate.ts';
import { openBodies } from './admission/bodies.ts';
import { openMediaGate } from './admission/keep-media.ts';
import { openRate } from './admission/rate.ts';
import { openWaitingPlaces } from './admission/waiting-places.ts';
import { type Ballast, keepWhileRoom, noBallast, openBallast, whileRoom } from './ballast.ts';
import { openBlobs } from './blobs/open-blobs.ts';
import { openSigner, type Signer } from './blobs/signature.ts';
import { models } from './catalog/index.ts';
import { type Closers, openClosers } from './closers.ts';
import type { Config } from './config.ts';
import type { Blobs } from './domain/blobs.ts';
import { type Clock, systemClock } from './domain/clock.ts';
import { extensionByMimeType, resultUrlLifeMs } from './domain/file.ts';
import type { Tracing } from './domain/tracing.ts';
import { reconcileRestored, refuseDamaged, refuseLost, refuseUnfit, sqlitePath } from './fitness.ts';
import { createApp, createHealthApp } from './http/app.ts';
import { openDeparture } from './http/departure.ts';
import { openJobWatch } from './http/job-watch.ts';
import type { HttpParts } from './http/parts.ts';
import { listen } from './listen.ts';
import { type Live, openLive } from './live-settings.ts';
import { type LocalFolder, openLocalFolder } from './local-folder.ts';
import { openOutbound } from './media/connect.ts';
import { openProber, type Prober } from './media/prober.ts';
import { type Metrics, type Neighbours, openMetrics } from './metrics.ts';
import type { ProviderParts } from './providers/definition.ts';
import { openLocalProvider } from './providers/local.ts';
import type { Account } from './providers/routing.ts';
import { openRenderEngine } from './render/engine.ts';
import { openSecrets } from './secrets.ts';
import { StartRefused } from './start-refused.ts';
import { localAccount } from './store/claims.ts';
import type { Connection } from './store/connection.ts';
import { freeDeliveries } from './store/deliveries.ts';
import { migrate } from './store/migrate.ts';
import { openPositions, type Positions } from './store/positions.ts';
import { openPostgres } from './store/postgres.ts';
import { lockFolder, openSqlite, type SqliteOptions } from './store/sqlite.ts';
import { openTracing } from './tracing.ts';
import { openBreaker } from './worker/breaker.ts';
import { type Deliveries, startDeliveries } from './worker/deliver.ts';
import { leaseMs, rescue, startMaintenance } from './worker/maintain.ts';
import { startWorker, type Worker } from './worker/worker.ts';

/** A running gateway. */
export interface Gateway {
  /** Base of every address in its answers. */
  readonly url: string;
  /** Where it is reached on this machine. */
  readonly listensAt: string;
  readonly db: Connection;
  /** How many jobs may have been sent after the backup this is; null unless it was started to find out. */
  readonly reconciled: number | null;
  /** Stops accepting, finishes what is in flight, hands back what is held. */
  close(): Promise<void>;
}

/** The same in this process, which can be given other settings. */
export interface OwnGateway extends Gateway {
  /** New jobs follow them; what is under way ends where it began. */
  reload(next: Config): void;
}

/** What every role is made of. */
interface Common {
  readonly config: Config;
  /** Of that, what may change. */
  readonly live: Live;
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly local: LocalFolder;
  readonly signer: Signer;
  readonly positions: Positions;
  readonly adminToken: string;
  readonly ballast: Ballast;
  /** Base of every address in answers; known once the server listens. */
  readonly publicUrl: () => string;
  readonly log: Logger;
}

/** Where a harness may put something of its own between the program and its surroundings. */
export interface Seams {
  readonly openStore: typeof openStore;
}

export interface StartOptions {
  /** The database was restored: what may have been sent since is found out before anything else is done. */
  readonly reconcile?: boolean;
  /** Told once, when the disk did not take a write of the database: this process must end, and the next recovers. */
  readonly onBroken?: (cause: unknown) => void;
  /** The processes it shares its port with; absent where it has it alone. */
  readonly neighbours?: Neighbours;
}

/** Room for what has to be written on a full disk. */
const ballastBytes = 16 * 1024 * 1024;

/** The composition root: the only place that knows every adapter. */
export async function openGateway(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  seams: Seams = { openStore },
  { reconcile = false, onBroken, neighbours }: StartOptions = {},
): Promise<OwnGateway> {
  const closers = openClosers();
  try {
    await mkdir(config.dataDir, { recursive: true });
    const ballast = await openRoom(config, log);
    if (config.databaseUrl === null) closers.add(lockDataFolder(config.dataDir), lock => lock.release());
    if (config.databaseUrl === null) await refuseDamaged(config.dataDir);
    const told = { onFull: ballast.release, ...(onBroken && { onBroken }) };
    const db = closers.add(await seams.openStore(config, log, told), opened => opened.close());
    await refuseUnfit(db, { isReconciling: reconcile });
    await migrate(db, clock.now());
    const reconciled = reconcile ? await reconcileRestored(db, config, leaseMs) : null;
    const { secret, adminToken } = await openSecrets(config);
    const place = { folder: join(config.dataDir, 'blobs'), s3: config.s3 };
    const opened = closers.add(await openBlobs(place, secret), ({ close }) => close());
    const blobs = keepWhileRoom(opened.blobs, ballast);
    const local = closers.add(await openLocalFolder(join(config.dataDir, 'run')), opened => opened.remove());
    const prober = closers.add(openProber(), opened => opened.close());
    const metrics = openMetrics(db, clock, neighbours);
    const tracing = closers.add(await openTracing(config, log), opened => opened.close());
    const [signer, positions] = [openSigner(secret), openPositions(db, clock)];
    let url = config.publicUrl ?? '';
    const rooms = { config, db, blobs, clock, prober, metrics, local, signer, positions, adminToken, log };
    const live = openLive(config);
    const common: Common = { ...rooms, live, tracing, ballast, publicUrl: () => url };

    // One process at a time has an SQLite folder, so whoever held a job before is dead.
    const isAlone = db.dialect === 'sqlite';
    if (isAlone) {
      await rescue({ db, blobs, clock, log }, 0);
      await freeDeliveries(db, clock.now());
    }
    const chores = startMaintenance(
      { db, blobs, clock, log },
      { hasNeighbours: !isAlone, tend: ballast.tend },
    );
    closers.add(chores, opened => opened.stop());
    const worker = config.role === 'api' ? null : await openWorker(common, closers);
    const beginCallbacks = worker && openCallbacks(common, closers);
    // Opened last and so closed first: a stop begins with accepting nothing more.
    const listensAt = await openHttp(common, worker, closers);
    url ||= listensAt;
    beginCallbacks?.();
    await worker?.tried;
    return { url, listensAt, db, reconciled, reload: live.replace, close: closers.closeAll };
  } catch (failure) {
    await closers.closeAll();
    throw failure;
  }
}

async function openWorker(common: Common, closers: Closers): Promise<Worker> {
  const { config, live, clock, local, metrics } = common;
  const outbound = closers.add(openOutbound({ allowPrivate: config.allowPrivateNetwork }), opened =>
    opened.close(),
  );
  const engine = closers.add(openRenderEngine({ concurrency: config.localConcurrency }), opened =>
    opened.close(),
  );
  const provider = openLocalProvider({ engine, clock, folder: await local.make('render') });
  const ownEngine: Account = {
    id: localAccount,
    provider,
    slots: config.localConcurrency,
    shared: null,
    results: outbound,
  };
  const modelIds = models.map(model => model.id);
  const routing = closers.add(
    openAccounts(config.routing, modelIds, ownEngine, {
      clock,
      outbound,
      linkTo: linker(common),
      folder: await local.make('made'),
    }),
    opened => opened.close(),
  );
  const parts = {
    ...common,
    outbound,
    routing,
    runningPerKey: () => live.now().limits.runningPerKey,
    breaker: openBreaker(common),
    workFolder: await local.make('work'),
    onSettled: metrics.jobSettled,
  };
  const worker = closers.add(await startWorker(parts), opened => opened.stop());
  live.heed(next => {
    routing.replace(next.routing);
    worker.tryAccounts();
  });
  return worker;
}

/** Signed addresses of our files for upstreams, where the operator says under which name this gateway is reached. */
const linker =
  ({ config, signer, clock }: Common): ProviderParts['linkTo'] =>
  (id, mimeType) => {
    if (config.publicUrl === null) return null;
    const fileName = `input.${extensionByMimeType[mimeType] ?? 'bin'}`;
    return config.publicUrl + signer.sign({ id, fileName }, clock.now() + resultUrlLifeMs);
  };

/** Callbacks begin once the addresses in their bodies are known; what ends them stands ready before. */
function openCallbacks(common: Common, closers: Closers): () => void {
  const { config, metrics } = common;
  const outbound = closers.add(openOutbound({ allowPrivate: config.allowPrivateNetwork }), opened =>
    opened.close(),
  );
  let deliveries: Deliveries | null = null;
  closers.add(null, () => deliveries?.stop());
  return () => {
    deliveries = startDeliveries({ ...common, outbound, onTried: metrics.deliveryTried });
  };
}

/** Serves what the role has to serve; returns where it listens. */
async function openHttp(common: Common, worker: Worker | null, closers: Closers): Promise<string> {
  const { config, clock, metrics } = common;
  // Nobody is sent to a process that only works.
  const departure = openDeparture(clock, config.role === 'worker' ? 0 : config.drainMs);
  const parts = {
    ...common,
    metrics: metrics.text,
    onRefused: metrics.refused,
    maxConnections: config.limits.connections,
    whyNotReady: async () =>
      departure.whyNotReady() ?? (await whyStorageIsNotReady(common)) ?? worker?.whyNotReady() ?? null,
  };
  const app = config.role === 'worker' ? createHealthApp(parts) : await openApi(parts, common);
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestAnswered(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
  });
  departure.attend(app);
  closers.add(app, async opened => {
    if (opened.server.listening) await departure.begin();
    await opened.close();
  });
  return listen(app, config, { isShared: config.processes > 1 });
}

type OpenParts = Pick<HttpParts, 'metrics' | 'onRefused' | 'maxConnections' | 'whyNotReady'>;

async function openApi(open: OpenParts, common: Common): Promise<FastifyInstance> {
  const { config, live, db, clock, metrics, positions, local, ballast } = common;
  const base = { ...common, ...open, spool: await local.make('spool') };
  const mediaGate = openMediaGate(base);
  const watch = openJobWatch(db);
  const bodies = openBodies(config.limits.bodies);
  const served = () => models.filter(({ id }) => !live.now().modelsOff.includes(id));
  let takeFromRate = openRate(config.limits.queue, clock);
  live.heed(({ limits }) => {
    takeFromRate = openRate(limits.queue, clock);
  });
  metrics.watchBodies(bodies.bytesInFlight);
  const app = createApp({
    ...base,
    models: served,
    watch,
    bodies,
    authenticate: openAuthenticate(db, clock),
    takeFromRate: keyId => takeFromRate(keyId),
    admission: openAdmission({
      db: whileRoom(db, ballast),
      clock,
      tracing: common.tracing,
      positions,
      mediaGate,
      bodies,
      waitingPlaces: openWaitingPlaces({
        db,
        clock,
        limits: config.limits.waiting,
        hasNeighbours: db.dialect !== 'sqlite',
      }),
      models: served,
      candidatesOf: modelId => candidatesOf(live.now().routing, modelId),
      allowPrivateNetwork: config.allowPrivateNetwork,
    }),
  });
  app.addHook('preClose', () => watch.close());
  app.addHook('onClose', async () => bodies.close());
  return app;
}

/** The rows alone, for commands beside the server. */
export async function openStore(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  told: SqliteOptions = {},
): Promise<Connection> {
  if (config.databaseUrl === null) {
    await refuseLost(config.dataDir);
    return openSqlite(sqlitePath(config.dataDir), told);
  }
  return openPostgres({
    url: config.databaseUrl,
    onTrouble: (what, cause) => log.warn({ err: cause }, what),
  });
}

/** Where the rows are elsewhere, removing bytes needs no room. */
async function openRoom({ databaseUrl, dataDir }: Config, log: Logger): Promise<Ballast> {
  if (databaseUrl !== null) return noBallast;
  return openBallast({ path: join(dataDir, 'ballast'), bytes: ballastBytes, log });
}

function lockDataFolder(dataDir: string) {
  const lock = lockFolder(join(dataDir, 'serve.lock'));
  if (lock) return lock;
  throw new StartRefused(
    `Another gateway already serves from ${dataDir}. Stop it, or set ATELIER_DATA_DIR to another folder.`,
  );
}

async function whyStorageIsNotReady({ db, blobs, ballast, log }: Common): Promise<string | null> {
  try {
    await db.read('SELECT 1 AS one');
  } catch {
    return 'the database is away';
  }
  try {
    await blobs.check();
    return ballast.whyFull();
  } catch (failure) {
    log.warn({ err: failure }, 'the blobs cannot be written');
    return 'the blobs cannot be written';
  }
}
