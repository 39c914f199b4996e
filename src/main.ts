import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { openPasswords } from './admission/passwords.ts';
import { type Ballast, keepWhileRoom, noBallast, openBallast } from './ballast.ts';
import { openBlobs } from './blobs/open-blobs.ts';
import { openSigner } from './blobs/signature.ts';
import { openClosers } from './closers.ts';
import type { Config } from './config.ts';
import { type Clock, systemClock } from './domain/clock.ts';
import { reconcileRestored, refuseDamaged, refuseLost, refuseUnfit, sqlitePath } from './fitness.ts';
import type { Foundation } from './foundation.ts';
import { openLive } from './live-settings.ts';
import { openLocalFolder } from './local-folder.ts';
import { openProber } from './media/prober.ts';
import { type Neighbours, openMetrics } from './metrics.ts';
import { openHttp } from './open-http.ts';
import { openCallbacks, openWorker } from './open-worker.ts';
import { openIngress } from './providers/ingress.ts';
import { openSecrets } from './secrets.ts';
import { StartRefused } from './start-refused.ts';
import type { Connection } from './store/connection.ts';
import { freeDeliveries } from './store/deliveries.ts';
import { migrate } from './store/migrate.ts';
import { openPositions } from './store/positions.ts';
import { openPostgres } from './store/postgres.ts';
import { lockFolder, openSqlite, type SqliteOptions } from './store/sqlite.ts';
import { openTracing } from './tracing.ts';
import { leaseMs, rescue, startMaintenance } from './worker/maintain.ts';

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

/** Where a harness may put something of its own between the program and its surroundings. */
export interface Seams {
  readonly openStore: typeof openStore;
  /** Of hashes that need not be safe. */
  readonly openPasswords?: typeof openPasswords;
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
    const { secret, ...keys } = await openSecrets(config);
    const place = { folder: join(config.dataDir, 'blobs'), s3: config.s3 };
    const opened = closers.add(await openBlobs(place, secret), ({ close }) => close());
    const blobs = keepWhileRoom(opened.blobs, ballast);
    const local = closers.add(await openLocalFolder(join(config.dataDir, 'run')), opened => opened.remove());
    const prober = closers.add(openProber(), opened => opened.close());
    const metrics = openMetrics(db, clock, neighbours);
    const tracing = closers.add(await openTracing(config, log), opened => opened.close());
    const [signer, ingress, positions] = [openSigner(secret), openIngress(secret), openPositions(db, clock)];
    let url = config.publicUrl ?? '';
    const keyed = { signer, ingress, ...keys };
    const rooms = { config, db, blobs, clock, prober, metrics, local, positions, ...keyed, log };
    const live = openLive(config);
    const foundation: Foundation = { ...rooms, live, tracing, ballast, publicUrl: () => url };

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
    const worker = config.role === 'api' ? null : await openWorker(foundation, closers);
    const beginCallbacks = worker && openCallbacks(foundation, closers);
    // Opened last and so closed first: a stop begins with accepting nothing more.
    const listensAt = await openHttp(foundation, worker, closers, seams.openPasswords);
    url ||= listensAt;
    beginCallbacks?.();
    await worker?.tried;
    return { url, listensAt, db, reconciled, reload: live.replace, close: closers.closeAll };
  } catch (failure) {
    await closers.closeAll();
    throw failure;
  }
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
