import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { findSharedPort } from '../app/listen.ts';
import type { Config } from '../config/config.ts';
import { minutes, seconds } from '../domain/clock.ts';
import { processIndexVariable, relayMetrics, waitUntilReady } from './sibling-processes.ts';

/** Longer than a process takes for its own stop, and still within the 25 s of operations. */
const stopTimeoutMs = 24.5 * seconds;
/** Wait before a process that ended is started again: doubling, and short again after one that lived well. */
const minRestartDelayMs = 0.5 * seconds;
const maxRestartDelayMs = 30 * seconds;
const stableUptimeMs = 1 * minutes;

/**
 * Runs the processes that share the port. The first starts alone: what a start makes is made once, and
 * why it is refused is said once. Resolves with their address, or with null once they are to end.
 */
export async function serveCluster(config: Config, log: Logger): Promise<string | null> {
  const inPlace = new Map<number, Worker>();
  const waiting = new Set<NodeJS.Timeout>();
  /** A signal would end one that does not listen for it yet. */
  const ready = new Set<Worker>();
  let reloads = 0;
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  let worstCode = 0;

  const ATELIER_PORT = String(await findSharedPort(config));
  cluster.setupPrimary({ serialization: 'advanced' });
  relayMetrics();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
  if (!process.stderr.isTTY) process.on('SIGHUP', reloadAll);

  const url = await start(1);
  const others =
    url === null ? [] : Array.from({ length: config.processes - 1 }, (_, index) => start(index + 2));
  const serves = url !== null && (await Promise.all(others)).every(told => told !== null);
  if (phase === 'starting' && !serves) stop(null);
  if (phase === 'starting') phase = 'serving';
  return phase === 'serving' ? url : null;

  function start(place: number, fails = 0): Promise<string | null> {
    const child = cluster.fork({ [processIndexVariable]: String(place), ATELIER_PORT });
    const startedAt = performance.now();
    const reloadsBefore = reloads;
    inPlace.set(place, child);
    child.on('exit', (code, signal) => {
      const isReady = ready.delete(child);
      inPlace.delete(place);
      if (phase === 'serving')
        return startAgain(place, performance.now() - startedAt, fails, { code, signal });
      // One that is told to stop while it starts has nothing to hand back.
      const isClean = code === 0 || (signal === 'SIGTERM' && !isReady);
      if (!isClean) worstCode = 1;
      if (phase === 'stopping') endWithTheLast();
    });
    return waitUntilReady(child).then(told => {
      if (told === null) return null;
      ready.add(child);
      log.info({ process: place, pid: child.process.pid }, 'a process serves');
      // It may have read the settings before they changed.
      if (reloads > reloadsBefore) child.process.kill('SIGHUP');
      return told;
    });
  }

  function startAgain(place: number, livedMs: number, fails: number, how: object): void {
    const again = livedMs < stableUptimeMs ? fails + 1 : 1;
    const waitMs = Math.min(maxRestartDelayMs, minRestartDelayMs * 2 ** (again - 1));
    log.error({ process: place, ...how, waitMs }, 'a process ended: it is started again');
    const timer = setTimeout(() => {
      waiting.delete(timer);
      void start(place, again);
    }, waitMs);
    waiting.add(timer);
  }

  function reloadAll(): void {
    reloads += 1;
    for (const child of ready) child.process.kill('SIGHUP');
  }

  function stop(signal: string | null): void {
    if (phase === 'stopping') return;
    phase = 'stopping';
    if (signal) log.info({ signal }, 'stopping');
    else worstCode = 1;
    for (const timer of waiting) clearTimeout(timer);
    for (const child of inPlace.values()) child.process.kill('SIGTERM');
    setTimeout(() => {
      log.error({ processes: [...inPlace.keys()] }, 'processes that did not stop in time are ended');
      for (const child of inPlace.values()) child.process.kill('SIGKILL');
      process.exit(1);
    }, stopTimeoutMs).unref();
    endWithTheLast();
  }

  function endWithTheLast(): void {
    if (inPlace.size === 0) process.exit(worstCode);
  }
}
