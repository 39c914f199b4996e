/**
 * The composition root: starts a gateway from its configuration, step by step. Everything opened is registered in one
 * AsyncDisposableStack, so that a stop, or a failed start, closes it in the reverse order.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { openRenderEngine } from '../../engine/src/engine.ts';
import type { openPasswords } from '../admission/passwords.ts';
import type { Config } from '../config/config.ts';
import { openSecrets } from '../config/secrets.ts';
import { type Clock, systemClock } from '../domain/clock.ts';
import type { CallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import { releaseDeliveries } from '../store/callbacks/deliveries.ts';
import type { Connection } from '../store/db/connection.ts';
import { migrate } from '../store/db/migrate.ts';
import { lockFolder } from '../store/db/sqlite.ts';
import type { SiblingProcesses } from '../telemetry/metrics.ts';
import { requeueFromDeadWorkers } from '../worker/dead-workers.ts';
import { leaseMs } from '../worker/lease.ts';
import { startMaintenance } from '../worker/maintenance.ts';
import { openHttp } from './api.ts';
import { type AppContext, openContext } from './context.ts';
import { makeDataDir } from './data-dir.ts';
import { tightenPermissions } from './data-dir-permissions.ts';
import { type DiskReserve, noDiskReserve, openDiskReserve } from './disk-reserve.ts';
import { checkPortFree, localOnlyWarning } from './listen.ts';
import { openStore } from './open-store.ts';
import { openSettingsEditor, type SettingsSource } from './settings-editor.ts';
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
  /** Base of every URL in its responses. */
  readonly url: string;
  /** The URL at which this machine reaches it. */
  readonly listensAt: string;
  readonly db: Connection;
  /** How many jobs may have been submitted after the backup; null unless it was started with `reconcile`. */
  readonly reconciled: number | null;
  /** Stops accepting requests, finishes those in progress, releases the leased jobs. */
  close(): Promise<void>;
}

/** A gateway of this process, whose settings can be replaced. */
export interface ReloadableGateway extends Gateway {
  /** New jobs follow the new settings; in-flight jobs finish where they started. */
  reload(next: Config): void;
  /** Shows why a reload failed, in the console and at /readyz, until one succeeds. */
  refuseReload(faults: readonly string[]): void;
}

/** Replacements for tests. */
export interface TestOverrides {
  readonly openStore: typeof openStore;
  /** Hashes that are fast instead of safe. */
  readonly openPasswords?: typeof openPasswords;
  /** An engine that takes its libraries as checked, in a process that draws nothing. */
  readonly openEngine?: typeof openRenderEngine;
  /** Instead of `diskReserveBytes`. */
  readonly diskReserveBytes?: number;
  /** See `HttpContext`. */
  readonly verifiesDeclarations?: boolean;
}

export interface StartOptions {
  /** The database was restored from a backup: first find the jobs that may have been submitted since. */
  readonly reconcile?: boolean;
  /** Called once, when the disk did not accept a write of the database: this process must end, the next one recovers. */
  readonly onBroken?: (cause: unknown) => void;
  /** The processes that share the port; absent for a single process. */
  readonly siblings?: SiblingProcesses;
  /** Where the settings are read from, for the console; absent: it can only show accounts. */
  readonly source?: SettingsSource;
}

/** Space for the writes that a full disk must still accept. */
const diskReserveBytes = 16 * 1024 * 1024;

/** Throws StartError where the gateway must not start; then everything that was opened is closed again. */
export async function openGateway(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  overrides: TestOverrides = { openStore },
  options: StartOptions = {},
): Promise<ReloadableGateway> {
  await using resources = new AsyncDisposableStack();
  const { db, diskReserve } = await openDatabase({ config, log, clock, overrides, options }, resources);
  const secrets = await openSecrets(config);
  const callbackSecrets = await openVerifiedCallbackSecrets(db, secrets.secret);
  await encryptPlainSecrets(db, callbackSecrets, log);
  const reconciled = options.reconcile ? await reconcileRestored(db, config, leaseMs) : null;
  let url = config.publicUrl ?? '';
  const publicUrl = () => url;
  const base = { config, db, clock, diskReserve, callbackSecrets, secrets, publicUrl, log };
  const context = await openContext({ ...base, siblings: options.siblings }, resources);

  await requeueAbandonedJobs(context);
  resources.adopt(maintain(context), maintenance => maintenance.stop());
  const worker = config.role === 'api' ? null : await openWorker(context, resources, overrides.openEngine);
  const startCallbacks = worker && openCallbacks(context, resources);
  // Opened last and so closed first: a stop begins by accepting no more requests.
  const editor = options.source ? openSettingsEditor(options.source, context.settings) : null;
  const listensAt = await openHttp(context, worker, resources, { ...overrides, editor });
  // Before the requests in progress are awaited: the process may be killed before they end.
  if (worker) resources.defer(() => worker.markStopping());
  url ||= listensAt;
  warnOfLocalUrls(context);
  startCallbacks?.();
  await worker?.accountsChecked;
  const running = resources.move();
  return {
    url,
    listensAt,
    db,
    reconciled,
    reload: context.settings.replace,
    refuseReload: context.settings.refuse,
    close: () => running.disposeAsync(),
  };
}

/** What opening the database takes. */
interface DatabaseSources {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly overrides: TestOverrides;
  readonly options: StartOptions;
}

/** Prepares the data folder, checks the database before anything is written to it, and migrates it. */
async function openDatabase(
  { config, log, clock, overrides, options }: DatabaseSources,
  resources: AsyncDisposableStack,
): Promise<Pick<AppContext, 'db' | 'diskReserve'>> {
  const { dataDir, databaseUrl } = config;
  await makeDataDir(dataDir);
  await tightenPermissions(dataDir, log);
  const diskReserve = await openReserveForSqlite(config, log, overrides.diskReserveBytes ?? diskReserveBytes);
  if (databaseUrl === null) resources.adopt(lockDataFolder(dataDir), lock => lock.release());
  // It is opened last; one in use is reported before anything is read or written.
  if (config.processes === 1) await checkPortFree(config);
  if (databaseUrl === null) await checkDatabaseIntact(dataDir);
  const { onBroken } = options;
  const writeFaults = { onDiskFull: diskReserve.release, ...(onBroken && { onWriteFailed: onBroken }) };
  const db = resources.adopt(await overrides.openStore(config, log, writeFaults), opened => opened.close());
  await checkDatabaseUsable(db, { isReconciling: options.reconcile ?? false });
  await migrate(db, clock.now());
  return { db, diskReserve };
}

/** Encrypts webhook secrets that an older version stored in plain text. */
async function encryptPlainSecrets(
  db: Connection,
  callbackSecrets: CallbackSecrets,
  log: Logger,
): Promise<void> {
  const users = await callbackSecrets.sealPlaintext();
  if (users === 0) return;
  log.info({ users }, 'plain-text webhook secrets encrypted');
  await db
    .eraseDeleted()
    .catch(err =>
      log.warn(
        { err },
        'database file not rewritten: it may contain remains of the plain text until VACUUM is run',
      ),
    );
}

/** A SQLite folder is locked by one process, so every lease in it is that of a dead worker. */
async function requeueAbandonedJobs({ db, clock, log }: AppContext): Promise<void> {
  if (db.dialect !== 'sqlite') return;
  await requeueFromDeadWorkers({ db, clock, log }, 0);
  await releaseDeliveries(db, clock.now());
}

/** Expiry, pruning, and the detection of dead workers of sibling processes. */
const maintain = ({ db, blobs, clock, log, diskReserve, settings }: AppContext) =>
  startMaintenance(
    { db, blobs, clock, log, prices: () => settings.current().prices },
    { hasSiblingProcesses: db.dialect !== 'sqlite', maintainDiskReserve: diskReserve.maintain },
  );

/** Logged once the URL is known. */
function warnOfLocalUrls({ config, publicUrl, log }: AppContext): void {
  const warning = localOnlyWarning(config);
  if (warning !== null) log.warn({ url: publicUrl() }, warning);
}

/** Only SQLite needs space on this disk to delete something. */
async function openReserveForSqlite(
  { databaseUrl, dataDir }: Config,
  log: Logger,
  bytes: number,
): Promise<DiskReserve> {
  if (databaseUrl !== null) return noDiskReserve;
  return openDiskReserve({ path: join(dataDir, 'ballast'), bytes, log });
}

/** One process at a time: two would write to the same SQLite file and blobs. */
function lockDataFolder(dataDir: string) {
  const lock = lockFolder(join(dataDir, 'serve.lock'));
  if (lock) return lock;
  throw new StartError(
    `Another gateway already serves from ${dataDir}. Stop it, or set ATELIER_DATA_DIR to another folder.`,
  );
}
