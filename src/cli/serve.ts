import cluster from 'node:cluster';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openGateway, openStore, type ReloadableGateway } from '../app/gateway.ts';
import { localOnlyWarning } from '../app/listen.ts';
import { StartError } from '../app/start-error.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { seconds, systemClock } from '../domain/clock.ts';
import { banner } from './banner.ts';
import { makeFirstSecrets } from './first-secrets.ts';
import { openLog } from './open-log.ts';
import { serveCluster } from './serve-cluster.ts';
import { openSiblingProcesses, processIndexVariable, sendReady } from './sibling-processes.ts';

/** Operations: SIGTERM ends the process within 25 s. */
const stopTimeoutMs = 24 * seconds;

export interface ServeOptions {
  readonly role?: string;
  readonly processes?: string;
  readonly reconcile?: boolean;
}

export async function serve({ role, processes, reconcile = false }: ServeOptions): Promise<void> {
  const { [processIndexVariable]: place, ...env } = process.env;
  const read = () =>
    readConfig({
      ...env,
      ...(role !== undefined && { ATELIER_ROLE: role }),
      ...(processes !== undefined && { ATELIER_PROCESSES: processes }),
    });
  const config = read();
  const log = await openLog(config);
  if (cluster.isWorker) return serveClusterWorker(config, read, log, Number(place));
  if (config.processes === 1) return serveSingleProcess(config, read, log, reconcile);
  if (reconcile)
    throw new StartError('atelier serve --reconcile takes one process: leave --processes away this once.');
  const url = await serveCluster(config, log);
  if (url !== null) await printBanner(config, url);
}

async function serveSingleProcess(
  config: Config,
  read: () => Config,
  log: Logger,
  reconcile: boolean,
): Promise<void> {
  const gateway = await openGateway(config, log, systemClock, { openStore }, { reconcile, onBroken: end });
  stopOnSignal(gateway, log);
  reloadOnSignal(gateway, read, log);
  const { url, reconciled, db } = gateway;
  const firstSecrets = await makeFirstSecrets(config, db);
  process.stdout.write(banner({ url, ...bannerFactsOf(config), firstSecrets, reconciled }));
  log.info({ url, role: config.role }, 'serving');

  /** Whoever still waits for a commit hears of it first. The next start goes on from what the disk has. */
  function end(cause: unknown): void {
    log.fatal({ err: cause }, 'the disk did not take a write of the database: this process ends');
    setImmediate(() => process.exit(1));
  }
}

/** One of several; the cores of the machine are shared out for rendering. */
async function serveClusterWorker(
  config: Config,
  read: () => Config,
  log: Logger,
  place: number,
): Promise<void> {
  // What is said to the others must not keep a process that could not start.
  process.channel?.unref();
  const { localConcurrency, processes } = config;
  const share = Math.max(1, Math.ceil((localConcurrency - place + 1) / processes));
  const own = log.child({ process: place });
  const gateway = await openGateway(
    { ...config, localConcurrency: share },
    own,
    systemClock,
    { openStore },
    { siblings: openSiblingProcesses(place) },
  );
  stopOnSignal(gateway, own);
  reloadOnSignal(gateway, read, own);
  sendReady(gateway.url);
}

async function printBanner(config: Config, url: string): Promise<void> {
  const db = await openStore(config, await openLog({ logLevel: 'error' }));
  try {
    const firstSecrets = await makeFirstSecrets(config, db);
    process.stdout.write(banner({ url, ...bannerFactsOf(config), firstSecrets, reconciled: null }));
  } finally {
    await db.close();
  }
}

const bannerFactsOf = (config: Config) => ({
  role: config.role,
  hereOnly: localOnlyWarning(config),
  adminTokenIn: adminTokenLocation(config),
});

/** It is never shown itself: what is on a screen is read by others. */
const adminTokenLocation = ({ adminToken, dataDir }: Config): string =>
  adminToken === null ? `adminToken in ${join(dataDir, 'secrets.json')}` : 'ATELIER_ADMIN_TOKEN';

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
        log.error({ err: failure }, 'the stop was not clean');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
}

/** In a terminal SIGHUP says that the terminal is gone: there it ends the process, as everywhere. */
function reloadOnSignal(gateway: ReloadableGateway, read: () => Config, log: Logger): void {
  if (process.stderr.isTTY) return;
  process.on('SIGHUP', () => {
    try {
      gateway.reload(read());
      log.info('the settings were read again');
    } catch (failure) {
      if (!(failure instanceof ConfigError)) throw failure;
      const faults = failure.message.split('\n');
      log.error({ faults }, 'the settings that were read again are wrong: those before stay in force');
    }
  });
}
