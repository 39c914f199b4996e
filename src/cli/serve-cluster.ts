/** The primary of several gateway processes that share a port: starts, restarts, reloads and stops them. */
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { findSharedPort } from '../app/listen.ts';
import type { Config } from '../config/config.ts';
import { minutes, seconds } from '../domain/clock.ts';
import { processIndexVariable, relayMetrics, relayReloads, waitUntilReady } from './sibling-processes.ts';

/** Longer than a worker takes for its shutdown, and still within the 25 s of docs/operating.md. */
const stopTimeoutMs = 24.5 * seconds;
/** Delay before a restart: doubles with each failure, and starts again after a stable run. */
const minRestartDelayMs = 0.5 * seconds;
/** The longest wait before a process is started again, and after how long it counts as stable. */
const maxRestartDelayMs = 30 * seconds;
const stableUptimeMs = 1 * minutes;

/** The workers and everything that changes while they run. */
interface ProcessGroup {
  readonly log: Logger;
  /** Port that all of them listen on. */
  readonly port: string;
  /** Running workers by their index, from 1. */
  readonly workers: Map<number, Worker>;
  /** Workers that serve. Others do not listen for signals yet and would be ended by one. */
  readonly ready: Set<Worker>;
  readonly restartTimers: Set<NodeJS.Timeout>;
  /** How often the settings were reloaded. */
  reloads: number;
  phase: 'starting' | 'serving' | 'stopping';
  /** Exit code of the primary: the worst of its workers. */
  exitCode: number;
}

/**
 * Runs the workers. The first starts alone, so that a start creates keys and files once and reports a refusal once.
 * Resolves with their address, or with null when they are to stop.
 */
export async function serveCluster(config: Config, log: Logger): Promise<string | null> {
  const group: ProcessGroup = {
    log,
    port: String(await findSharedPort(config)),
    workers: new Map(),
    ready: new Set(),
    restartTimers: new Set(),
    reloads: 0,
    phase: 'starting',
    exitCode: 0,
  };
  cluster.setupPrimary({ serialization: 'advanced' });
  relayMetrics();
  relayReloads();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(group, signal));
  if (!process.stderr.isTTY) process.on('SIGHUP', () => reloadAll(group));

  const url = await startWorker(group, 1);
  const isServing = url !== null && (await startOthers(group, config.processes));
  if (isStarting(group) && !isServing) stop(group, null);
  if (isStarting(group)) group.phase = 'serving';
  return group.phase === 'serving' ? url : null;
}

/** A signal may have changed the phase during the start. */
const isStarting = ({ phase }: ProcessGroup): boolean => phase === 'starting';

/** Starts all but the first at once; whether every one of them serves. */
async function startOthers(group: ProcessGroup, processes: number): Promise<boolean> {
  const others = Array.from({ length: processes - 1 }, (_, index) => startWorker(group, index + 2));
  return (await Promise.all(others)).every(url => url !== null);
}

/** Resolves with the address of the worker, or with null when it exited before it served. */
async function startWorker(group: ProcessGroup, index: number, failures = 0): Promise<string | null> {
  const { log, port, workers, ready } = group;
  const worker = cluster.fork({ [processIndexVariable]: String(index), ATELIER_PORT: port });
  const startedAt = performance.now();
  const reloadsBefore = group.reloads;
  workers.set(index, worker);
  worker.on('exit', (code, signal) => {
    const wasReady = ready.delete(worker);
    workers.delete(index);
    if (group.phase === 'serving') {
      const uptimeMs = performance.now() - startedAt;
      return restart(group, index, uptimeMs < stableUptimeMs ? failures + 1 : 1, { code, signal });
    }
    // A worker that is stopped while it starts has no jobs to release.
    const isClean = code === 0 || (signal === 'SIGTERM' && !wasReady);
    if (!isClean) group.exitCode = 1;
    if (group.phase === 'stopping') exitWhenEmpty(group);
  });
  const url = await waitUntilReady(worker);
  if (url === null) return null;
  ready.add(worker);
  log.info({ process: index, pid: worker.process.pid }, 'process ready');
  // It may have read the settings before they changed.
  if (group.reloads > reloadsBefore) worker.process.kill('SIGHUP');
  return url;
}

/** Starts the worker of this index again after a delay; `exit` goes into the log. */
function restart(group: ProcessGroup, index: number, failures: number, exit: object): void {
  const waitMs = Math.min(maxRestartDelayMs, minRestartDelayMs * 2 ** (failures - 1));
  group.log.error({ process: index, ...exit, waitMs }, 'process exited: restarting');
  const timer = setTimeout(() => {
    group.restartTimers.delete(timer);
    void startWorker(group, index, failures);
  }, waitMs);
  group.restartTimers.add(timer);
}

/** Workers that are not ready yet are reloaded as soon as they are. */
function reloadAll(group: ProcessGroup): void {
  group.reloads += 1;
  for (const worker of group.ready) worker.process.kill('SIGHUP');
}

/** Stops all workers; `signal` null: because not all of them could start. */
function stop(group: ProcessGroup, signal: string | null): void {
  if (group.phase === 'stopping') return;
  group.phase = 'stopping';
  if (signal) group.log.info({ signal }, 'stopping');
  else group.exitCode = 1;
  for (const timer of group.restartTimers) clearTimeout(timer);
  for (const worker of group.workers.values()) worker.process.kill('SIGTERM');
  setTimeout(() => {
    group.log.error({ processes: [...group.workers.keys()] }, 'stop timeout: killing remaining processes');
    for (const worker of group.workers.values()) worker.process.kill('SIGKILL');
    process.exit(1);
  }, stopTimeoutMs).unref();
  exitWhenEmpty(group);
}

/** The primary exits with its last worker. */
function exitWhenEmpty({ workers, exitCode }: ProcessGroup): void {
  if (workers.size === 0) process.exit(exitCode);
}
