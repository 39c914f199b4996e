import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { openPasswords } from '../admission/passwords.ts';
import { openBlobs } from '../blobs/open-blobs.ts';
import type { Config } from '../config/config.ts';
import { openReloadableSettings } from '../config/reload.ts';
import { openSecrets } from '../config/secrets.ts';
import { type Clock, systemClock } from '../domain/clock.ts';
import { openSigner } from '../domain/file-signature.ts';
import { openNameResolver } from '../media/name-resolver.ts';
import { openProber } from '../media/prober.ts';
import { openIngress } from '../providers/kit/ingress.ts';
import { releaseDeliveries } from '../store/callbacks/deliveries.ts';
import type { Connection } from '../store/db/connection.ts';
import { migrate } from '../store/db/migrate.ts';
import { lockFolder } from '../store/db/sqlite.ts';
import { openQueuePositions } from '../store/jobs/queue-position.ts';
import { openMetrics, type SiblingProcesses } from '../telemetry/metrics.ts';
import { openTracing } from '../telemetry/tracing.ts';
import { requeueFromDeadWorkers } from '../worker/dead-workers.ts';
import { leaseMs } from '../worker/lease.ts';
import { startMaintenance } from '../worker/maintenance.ts';
import { openHttp } from './api.ts';
import { openClosers } from './closers.ts';
import type { AppContext } from './context.ts';
import { tightenPermissions } from './data-dir-permissions.ts';
import { type DiskReserve, noDiskReserve, openDiskReserve, rejectBlobsWhenFull } from './disk-reserve.ts';
import { localOnlyWarning } from './listen.ts';
import { openStore } from './open-store.ts';
import { openScratchDir } from './scratch-dir.ts';
import {
  checkDatabaseIntact,
  checkDatabaseUsable,
  openVerifiedCallbackSecrets,
  reconcileRestored,
} from './start-checks.ts';
import { StartError } from './start-error.ts';
import { openCallbacks, openWorker } from './worker.ts';

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
export interface ReloadableGateway extends Gateway {
  /** New jobs follow them; what is under way ends where it began. */
  reload(next: Config): void;
}

/** Where a harness may put something of its own between the program and its surroundings. */
export interface TestOverrides {
  readonly openStore: typeof openStore;
  /** Of hashes that need not be safe. */
  readonly openPasswords?: typeof openPasswords;
  /** See `HttpContext`. */
  readonly verifiesDeclarations?: boolean;
}

export interface StartOptions {
  /** The database was restored: what may have been sent since is found out before anything else is done. */
  readonly reconcile?: boolean;
  /** Told once, when the disk did not take a write of the database: this process must end, and the next recovers. */
  readonly onBroken?: (cause: unknown) => void;
  /** The processes it shares its port with; absent where it has it alone. */
  readonly siblings?: SiblingProcesses;
}

/** Room for what has to be written on a full disk. */
const diskReserveBytes = 16 * 1024 * 1024;

/** The composition root: the only place that knows every adapter. */
export async function openGateway(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  seams: TestOverrides = { openStore },
  { reconcile = false, onBroken, siblings }: StartOptions = {},
): Promise<ReloadableGateway> {
  const closers = openClosers();
  try {
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
    await tightenPermissions(config.dataDir, log);
    const diskReserve = await openReserveForSqlite(config, log);
    if (config.databaseUrl === null) closers.add(lockDataFolder(config.dataDir), lock => lock.release());
    if (config.databaseUrl === null) await checkDatabaseIntact(config.dataDir);
    const writeFaults = {
      onDiskFull: diskReserve.release,
      ...(onBroken && { onWriteFailed: onBroken }),
    };
    const db = closers.add(await seams.openStore(config, log, writeFaults), opened => opened.close());
    await checkDatabaseUsable(db, { isReconciling: reconcile });
    await migrate(db, clock.now());
    const { secret, ...keys } = await openSecrets(config);
    const callbackSecrets = await openVerifiedCallbackSecrets(db, secret);
    const sealed = await callbackSecrets.sealPlaintext();
    if (sealed > 0) log.info({ users: sealed }, 'webhook secrets encrypted that were stored in plain text');
    const reconciled = reconcile ? await reconcileRestored(db, config, leaseMs) : null;
    const place = { folder: join(config.dataDir, 'blobs'), s3: config.s3 };
    const opened = closers.add(await openBlobs(place, secret), ({ close }) => close());
    const blobs = rejectBlobsWhenFull(opened.blobs, diskReserve);
    const scratchDir = closers.add(await openScratchDir(join(config.dataDir, 'run')), opened =>
      opened.remove(),
    );
    const prober = closers.add(openProber(), opened => opened.close());
    const { dnsServers: servers, allowPrivateNetwork: allowPrivate } = config;
    const nameResolver = closers.add(openNameResolver({ servers, allowPrivate }), opened => opened.close());
    const metrics = openMetrics(db, clock, siblings);
    metrics.watchProber(prober.size);
    const tracing = closers.add(await openTracing(config, log), opened => opened.close());
    const [signer, ingress, positions] = [
      openSigner(secret),
      openIngress(secret),
      openQueuePositions(db, clock),
    ];
    let url = config.publicUrl ?? '';
    const keyed = { signer, ingress, callbackSecrets, ...keys };
    const rooms = {
      config,
      db,
      blobs,
      clock,
      prober,
      nameResolver,
      metrics,
      scratchDir,
      positions,
      ...keyed,
      log,
    };
    const settings = openReloadableSettings(config);
    const foundation: AppContext = { ...rooms, settings, tracing, diskReserve, publicUrl: () => url };

    // One process at a time has an SQLite folder, so whoever held a job before is dead.
    const isAlone = db.dialect === 'sqlite';
    if (isAlone) {
      await requeueFromDeadWorkers({ db, clock, log }, 0);
      await releaseDeliveries(db, clock.now());
    }
    const maintenance = startMaintenance(
      { db, blobs, clock, log },
      { hasSiblingProcesses: !isAlone, maintainDiskReserve: diskReserve.maintain },
    );
    closers.add(maintenance, opened => opened.stop());
    const worker = config.role === 'api' ? null : await openWorker(foundation, closers);
    const beginCallbacks = worker && openCallbacks(foundation, closers);
    // Opened last and so closed first: a stop begins with accepting nothing more.
    const listensAt = await openHttp(foundation, worker, closers, seams);
    // Before requests are waited for, which may take longer than whoever stops this process has patience.
    closers.add(worker, opened => opened?.markStopping());
    url ||= listensAt;
    const hereOnly = localOnlyWarning(config);
    if (hereOnly !== null) log.warn({ url }, hereOnly);
    beginCallbacks?.();
    await worker?.accountsChecked;
    return { url, listensAt, db, reconciled, reload: settings.replace, close: closers.closeAll };
  } catch (failure) {
    await closers.closeAll();
    throw failure;
  }
}

/** Where the rows are elsewhere, removing bytes needs no room. */
async function openReserveForSqlite({ databaseUrl, dataDir }: Config, log: Logger): Promise<DiskReserve> {
  if (databaseUrl !== null) return noDiskReserve;
  return openDiskReserve({ path: join(dataDir, 'ballast'), bytes: diskReserveBytes, log });
}

function lockDataFolder(dataDir: string) {
  const lock = lockFolder(join(dataDir, 'serve.lock'));
  if (lock) return lock;
  throw new StartError(
    `Another gateway already serves from ${dataDir}. Stop it, or set ATELIER_DATA_DIR to another folder.`,
  );
}
