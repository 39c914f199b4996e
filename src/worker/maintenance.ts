// The periodic maintenance tasks of a process: expire jobs, detect dead workers, remove files and orphaned blobs, prune rows, index jobs for searches.
import type { Logger } from 'pino';
import type { Blobs } from '../domain/blobs.ts';
import { type Clock, days, hours, minutes, seconds } from '../domain/clock.ts';
import { outputLifeMs } from '../domain/file.ts';
import { formatAmount } from '../domain/money.ts';
import type { Prices } from '../domain/prices.ts';
import { pruneAlerts } from '../store/callbacks/deliveries.ts';
import type { Connection } from '../store/db/connection.ts';
import { findFilesToRemove, findReferencedBlobs, removeFileRows } from '../store/files/files.ts';
import { expireJobs, pruneJobs, pruneUsage } from '../store/jobs/maintenance.ts';
import { takeAlerts } from '../store/money/alerts.ts';
import { pruneBuckets } from '../store/people/login-buckets.ts';
import { pruneSessions } from '../store/people/sessions.ts';
import { pruneRefusals } from '../store/refusals/refused-requests.ts';
import { openDeadWorkerCheck } from './dead-workers.ts';
import { openJobIndexing } from './index-jobs.ts';

/** The dependencies of the maintenance tasks. */
export interface MaintenanceContext {
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Logger;
  /** Those of the present settings. */
  readonly prices: () => Prices | null;
}

export interface MaintenanceOptions {
  /** Whether other processes may die while this one lives. Alone, all leases are void at its start and never later. */
  readonly hasSiblingProcesses: boolean;
  /** Restores the disk space that is reserved for a full disk. */
  readonly maintainDiskReserve: () => Promise<void>;
}

/** Rows of final jobs are kept as long as their outputs. */
const finalJobLifeMs = outputLifeMs;
/** Usage rows are kept for the invoices of a year, and late ones. */
const usageLifeMs = 400 * days;
/** Counts of refused requests. */
const refusalLifeMs = 7 * days;
/** A blob without a row is an orphan only once no request can still be about to write its row. */
const orphanAgeMs = 1 * hours;
/** Rows in one statement. */
const batch = 500;

/** Runs each task in a loop with its own interval. A task that fails is repeated after its interval. */
export function startMaintenance(
  context: MaintenanceContext,
  { hasSiblingProcesses, maintainDiskReserve }: MaintenanceOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const tasks: readonly (readonly [everyMs: number, task: MaintenanceTask])[] = [
    [1 * seconds, expire],
    [10 * seconds, maintainDiskReserve],
    ...(hasSiblingProcesses ? [[1 * seconds, openDeadWorkerCheck()] as const] : []),
    [1 * seconds, openJobIndexing()],
    [10 * seconds, notifyOfBudgets],
    [1 * minutes, removeFiles],
    [10 * minutes, pruneLogins],
    [1 * hours, prune],
    [1 * hours, removeOrphans],
  ];
  const loops = tasks.map(async ([everyMs, task]) => {
    while (!stopping.signal.aborted) {
      await context.clock.sleep(everyMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await task(context).catch(failure =>
        context.log.error({ err: failure, task: task.name }, 'maintenance task failed, retrying'),
      );
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

type MaintenanceTask = (context: MaintenanceContext) => Promise<void>;

/** Ends waiting jobs whose deadline passed. Jobs in flight end in their worker. */
export async function expire({ db, clock }: MaintenanceContext): Promise<void> {
  for (;;) {
    const ended = await expireJobs(db, clock.now(), batch);
    if (ended.length < batch) return;
  }
}

/** Logs each budget that reached a step of its limit, and enqueues its callback: once, in one process. */
export async function notifyOfBudgets({ db, clock, log, prices }: MaintenanceContext): Promise<void> {
  const { alertUrl, currency } = prices() ?? { alertUrl: null, currency: '' };
  const receiver = alertUrl === null ? null : { url: alertUrl, currency };
  for (const { limit, used, ...alert } of await takeAlerts(db, receiver, clock.now()))
    log.warn({ ...alert, limit: formatAmount(limit), used: formatAmount(used) }, 'budget alert');
}

/** Removes the bytes of expired files, then their rows: a crash between the two loses no byte without a row. */
export async function removeFiles({ db, blobs, clock }: MaintenanceContext): Promise<void> {
  for (;;) {
    const files = await findFilesToRemove(db, clock.now(), batch);
    for (const file of files) await blobs.remove(file.blobKey);
    await removeFileRows(
      db,
      files.map(file => file.id),
    );
    if (files.length < batch) return;
  }
}

/** Deletes rows of jobs that ended long ago, older usage rows, and old counts of refused requests. */
export async function prune({ db, clock }: MaintenanceContext): Promise<void> {
  while ((await pruneJobs(db, clock.now() - finalJobLifeMs, batch)) === batch);
  while ((await pruneAlerts(db, clock.now() - finalJobLifeMs, batch)) === batch);
  while ((await pruneUsage(db, clock.now() - usageLifeMs, batch)) === batch);
  while ((await pruneRefusals(db, clock.now() - refusalLifeMs, batch)) === batch);
}

/** Deletes expired sessions, and rate limits of logins that are full again. */
export async function pruneLogins({ db, clock }: Pick<MaintenanceContext, 'db' | 'clock'>): Promise<void> {
  while ((await pruneSessions(db, clock.now(), batch)) === batch);
  while ((await pruneBuckets(db, clock.now(), batch)) === batch);
}

/** Removes blobs without a row, which a crash between the two leaves, and unfinished ones. */
export async function removeOrphans({ db, blobs, clock, log }: MaintenanceContext): Promise<void> {
  let keys: string[] = [];
  const removeUnknown = async () => {
    const known = await findReferencedBlobs(db, keys);
    const orphans = keys.filter(key => !known.has(key));
    for (const key of orphans) await blobs.remove(key);
    if (orphans.length > 0) log.info({ blobs: orphans.length }, 'orphaned blobs removed');
    keys = [];
  };
  for await (const key of blobs.list(clock.now() - orphanAgeMs)) {
    keys.push(key);
    if (keys.length === batch) await removeUnknown();
  }
  await removeUnknown();
  const unfinished = await blobs.removeUnfinished(clock.now() - orphanAgeMs);
  if (unfinished > 0) log.info({ unfinished }, 'unfinished blobs removed');
}
