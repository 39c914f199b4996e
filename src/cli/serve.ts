import cluster from 'node:cluster';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, ConfigFault, readConfig } from '../config.ts';
import { seconds, systemClock } from '../domain/clock.ts';
import { type OwnGateway, openGateway, openStore } from '../main.ts';
import { StartRefused } from '../start-refused.ts';
import { banner } from './banner.ts';
import { makeFirstSecrets } from './first-secrets.ts';
import { openNeighbours, placeVariable, sayReady } from './neighbours.ts';
import { openLog } from './open-log.ts';
import { serveMany } from './serve-many.ts';

/** Operations: SIGTERM ends the process within 25 s. */
const longestStopMs = 24 * seconds;

export interface ServeOptions {
  readonly role?: string;
  readonly processes?: string;
  readonly reconcile?: boolean;
}

export async function serve({ role, processes, reconcile = false }: ServeOptions): Promise<void> {
  const { [placeVariable]: place, ...env } = process.env;
  const read = () =>
    readConfig({
      ...env,
      ...(role !== undefined && { ATELIER_ROLE: role }),
      ...(processes !== undefined && { ATELIER_PROCESSES: processes }),
    });
  const config = read();
  const log = await openLog(config);
  if (cluster.isWorker) return serveBesideOthers(config, read, log, Number(place));
  if (config.processes === 1) return serveAlone(config, read, log, reconcile);
  if (reconcile)
    throw new StartRefused('atelier serve --reconcile takes one process: leave --processes away this once.');
  const url = await serveMany(config, log);
  if (url !== null) await welcome(config, url);
}

async function serveAlone(
  config: Config,
  read: () => Config,
  log: Logger,
  reconcile: boolean,
): Promise<void> {
  const gateway = await openGateway(config, log, systemClock, { openStore }, { reconcile, onBroken: end });
  stopAtSignal(gateway, log);
  reloadAtSignal(gateway, read, log);
  const { url, reconciled, db } = gateway;
  const first = await makeFirstSecrets(config, db);
  process.stdout.write(
    banner({ url, role: config.role, adminTokenIn: adminTokenIn(config), first, reconciled }),
  );
  log.info({ url, role: config.role }, 'serving');

  /** Whoever still waits for a commit hears of it first. The next start goes on from what the disk has. */
  function end(cause: unknown): void {
    log.fatal({ err: cause }, 'the disk did not take a write of the database: this process ends');
    setImmediate(() => process.exit(1));
  }
}

/** One of several; the cores of the machine are shared out for rendering. */
async function serveBesideOthers(
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
    { neighbours: openNeighbours(place) },
  );
  stopAtSignal(gateway, own);
  reloadAtSignal(gateway, read, own);
  sayReady(gateway.url);
}

async function welcome(config: Config, url: string): Promise<void> {
  const db = await openStore(config, await openLog({ logLevel: 'error' }));
  try {
    const first = await makeFirstSecrets(config, db);
    process.stdout.write(
      banner({ url, role: config.role, adminTokenIn: adminTokenIn(config), first, reconciled: null }),
    );
  } finally {
    await db.close();
  }
}

/** It is never shown itself: what is on a screen is read by others. */
const adminTokenIn = ({ adminToken, dataDir }: Config): string =>
  adminToken === null ? `adminToken in ${join(dataDir, 'secrets.json')}` : 'ATELIER_ADMIN_TOKEN';

function stopAtSignal(gateway: { close(): Promise<void> }, log: Logger): void {
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), longestStopMs).unref();
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
function reloadAtSignal(gateway: OwnGateway, read: () => Config, log: Logger): void {
  if (process.stderr.isTTY) return;
  process.on('SIGHUP', () => {
    try {
      gateway.reload(read());
      log.info('the settings were read again');
    } catch (failure) {
      if (!(failure instanceof ConfigFault)) throw failure;
      const faults = failure.message.split('\n');
      log.error({ faults }, 'the settings that were read again are wrong: those before stay in force');
    }
  });
}
