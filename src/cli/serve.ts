/** `atelier serve`: runs the gateway in this process or in several, until a signal stops it. */
import cluster from 'node:cluster';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openGateway, type ReloadableGateway } from '../app/gateway.ts';
import { localOnlyWarning } from '../app/listen.ts';
import { openStore } from '../app/open-store.ts';
import { StartError } from '../app/start-error.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { settingsPath } from '../config/settings-candidate.ts';
import { seconds, systemClock } from '../domain/clock.ts';
import { type BannerFacts, banner } from './banner.ts';
import { makeFirstSecrets } from './first-secrets.ts';
import { openLog } from './open-log.ts';
import { serveCluster } from './serve-cluster.ts';
import {
  announceReload,
  onReloadAnnounced,
  openSiblingProcesses,
  processIndexVariable,
  sendReady,
} from './sibling-processes.ts';

/** docs/operating.md promises that SIGTERM ends the process within 25 s. */
const stopTimeoutMs = 24 * seconds;

/** Options of the command line; each replaces its environment variable. */
export interface ServeOptions {
  /** Replaces ATELIER_ROLE. */
  readonly role?: string;
  /** Replaces ATELIER_PROCESSES. */
  readonly processes?: string;
  /** First start of a restored backup. */
  readonly reconcile?: boolean;
}

/** Resolves when the gateway serves; the process then runs until it is stopped. */
export async function serve({ role, processes, reconcile = false }: ServeOptions): Promise<void> {
  const { [processIndexVariable]: processIndex, ...env } = process.env;
  // Also called by a reload, which keeps the options of the command line.
  const read = (file?: string) =>
    readConfig({
      ...env,
      ...(file !== undefined && { ATELIER_CONFIG: file }),
      ...(role !== undefined && { ATELIER_ROLE: role }),
      ...(processes !== undefined && { ATELIER_PROCESSES: processes }),
    });
  const config = read();
  const log = await openLog(config);
  if (cluster.isWorker) return serveClusterWorker(config, read, log, Number(processIndex));
  if (config.processes === 1) return serveSingleProcess(config, read, log, reconcile);
  if (reconcile) throw new StartError('atelier serve --reconcile needs a single process: omit --processes.');
  const url = await serveCluster(config, log);
  if (url !== null) await printBanner(config, url);
}

/** Reads everything again, with another file where one is named. */
type ReadSettings = (file?: string) => Config;

/** Runs the gateway in this process and prints the banner. */
async function serveSingleProcess(
  config: Config,
  read: ReadSettings,
  log: Logger,
  reconcile: boolean,
): Promise<void> {
  const gateway = await openGateway(
    config,
    log,
    systemClock,
    { openStore },
    {
      reconcile,
      onBroken: exitOnBrokenDisk,
      source: { path: settingsPath(), read, announce: () => {} },
    },
  );
  stopOnSignal(gateway, log);
  reloadOnSignal(gateway, read, log);
  const { url, reconciled, db } = gateway;
  const firstSecrets = await makeFirstSecrets(config, db);
  process.stdout.write(banner({ url, ...bannerFactsOf(config), firstSecrets, reconciled }));
  log.info({ url, role: config.role }, 'serving');

  /** Pending commits are rejected first. The next start continues from what is on disk. */
  function exitOnBrokenDisk(cause: unknown): void {
    log.fatal({ err: cause }, 'database write failed: exiting');
    // In the next turn, so that rejected requests are answered.
    setImmediate(() => process.exit(1));
  }
}

/** One of several processes: local renders are divided among them. */
async function serveClusterWorker(
  config: Config,
  read: ReadSettings,
  log: Logger,
  processIndex: number,
): Promise<void> {
  // The channel to the primary must not keep a process alive that could not start.
  process.channel?.unref();
  const { localConcurrency, processes } = config;
  const share = Math.max(1, Math.ceil((localConcurrency - processIndex + 1) / processes));
  const processLog = log.child({ process: processIndex });
  const gateway = await openGateway(
    { ...config, localConcurrency: share },
    processLog,
    systemClock,
    { openStore },
    {
      siblings: openSiblingProcesses(processIndex),
      source: { path: settingsPath(), read, announce: announceReload },
    },
  );
  stopOnSignal(gateway, processLog);
  reloadOnSignal(gateway, read, processLog);
  sendReady(gateway.url);
}

/** The primary opens the database only for the banner. */
async function printBanner(config: Config, url: string): Promise<void> {
  const db = await openStore(config, await openLog({ logLevel: 'error' }));
  try {
    const firstSecrets = await makeFirstSecrets(config, db);
    process.stdout.write(banner({ url, ...bannerFactsOf(config), firstSecrets, reconciled: null }));
  } finally {
    await db.close();
  }
}

const bannerFactsOf = (
  config: Config,
): Pick<BannerFacts, 'role' | 'localOnlyReason' | 'adminTokenLocation'> => ({
  role: config.role,
  localOnlyReason: localOnlyWarning(config),
  adminTokenLocation: adminTokenLocation(config),
});

/** The token itself is never shown: others read a screen, too. */
const adminTokenLocation = ({ adminToken, dataDir }: Config): string =>
  adminToken === null ? `adminToken in ${join(dataDir, 'secrets.json')}` : 'ATELIER_ADMIN_TOKEN';

/** Stops once on SIGTERM or SIGINT; exits with 1 when that fails or takes too long. */
function stopOnSignal(gateway: { close(): Promise<void> }, log: Logger): void {
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), stopTimeoutMs).unref();
    gateway.close().then(
      () => process.exit(0),
      failure => {
        log.error({ err: failure }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
}

/** Reads the settings again on SIGHUP, and in one of several processes where another one read them. In a terminal SIGHUP means that it was closed, and ends the process. */
function reloadOnSignal(gateway: ReloadableGateway, read: ReadSettings, log: Logger): void {
  const reload = () => {
    try {
      gateway.reload(read());
      log.info('settings reloaded');
    } catch (failure) {
      if (!(failure instanceof ConfigError)) throw failure;
      const faults = failure.message.split('\n');
      gateway.refuseReload(faults);
      log.error({ faults }, 'settings reload failed: previous settings kept');
    }
  };
  onReloadAnnounced(reload);
  if (!process.stderr.isTTY) process.on('SIGHUP', reload);
}
