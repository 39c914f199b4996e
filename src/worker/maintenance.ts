import type { Logger } from 'pino';
import type { Blobs } from '../domain/blobs.ts';
import { type Clock, days, hours, minutes, seconds } from '../domain/clock.ts';
import { outputLifeMs } from '../domain/file.ts';
import { availableTopic, type Connection, deliveryTopic, jobTopic } from '../store/db/connection.ts';
import { findFilesToRemove, findReferencedBlobs, removeFileRows } from '../store/files/files.ts';
import { expireJobs, pruneJobs, pruneUsage, requeueOrphanedJobs } from '../store/jobs/maintenance.ts';
import { hasDeadWorkers, removeDeadWorkers } from '../store/jobs/workers.ts';
import { pruneBuckets } from '../store/people/login-buckets.ts';
import { pruneSessions } from '../store/people/sessions.ts';

export interface MaintenanceContext {
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface MaintenanceOptions {
  /** Whether other processes may die while this one lives. Alone, every hold is void at start and at no other time. */
  readonly hasSiblingProcesses: boolean;
  /** Looks after the room that is kept for a full disk. */
  readonly maintainDiskReserve: () => Promise<void>;
}

/** A worker that has not beaten for this long is dead; it beats every two seconds, so it may be late by six. */
export const leaseMs = 8 * seconds;
/** Whoever looks for the dead after a longer pause than this tells nothing from their silence. */
const longestPauseMs = leaseMs / 2;
/** Every so many looks what runs is looked at, too: a hold may be left whose worker has no row any more. */
const leaseScanEvery = 10;
/** Final jobs are kept as long as their outputs. */
const finalJobLifeMs = outputLifeMs;
/** Lines of usage are kept for the bills of a year, and those that come late. */
const usageLifeMs = 400 * days;
/** A blob without a row is a leftover only once no request can still be about to write its row. */
const orphanAgeMs = 1 * hours;
const batch = 500;

/** Starts the chores, each with its own pace; returns what ends them. */
export function startMaintenance(
  parts: MaintenanceContext,
  { hasSiblingProcesses, maintainDiskReserve }: MaintenanceOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const chores: readonly (readonly [everyMs: number, chore: (parts: MaintenanceContext) => Promise<void>])[] =
    [
      [1 * seconds, expire],
      [10 * seconds, maintainDiskReserve],
      ...(hasSiblingProcesses ? [[1 * seconds, openDeadWorkerCheck()] as const] : []),
      [1 * minutes, removeFiles],
      [10 * minutes, pruneLogins],
      [1 * hours, prune],
      [1 * hours, removeOrphans],
    ];
  const loops = chores.map(async ([everyMs, chore]) => {
    while (!stopping.signal.aborted) {
      await parts.clock.sleep(everyMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await chore(parts).catch(failure =>
        parts.log.error({ err: failure, chore: chore.name }, 'a chore failed; it is tried again'),
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

/** Ends waiting jobs whose deadline passed. */
export async function expire({ db, clock }: MaintenanceContext): Promise<void> {
  for (;;) {
    const ended = await expireJobs(db, clock.now(), batch);
    for (const id of ended) db.announce(jobTopic(id));
    if (ended.length > 0) db.announce(deliveryTopic);
    if (ended.length < batch) return;
  }
}

/** Looks for dead workers and takes back what they held; while nobody died, a look is one small statement. */
function openDeadWorkerCheck(): (parts: MaintenanceContext) => Promise<void> {
  let looks = 0;
  let lookedAt = performance.now();
  let judgesFrom = lookedAt;
  return async function lookForDead(parts) {
    const isAnyDead = await hasDeadWorkers(parts.db, leaseMs);
    const answeredAt = performance.now();
    // While the database was away, or the machine stood still, nobody could beat: all get the time for it.
    if (answeredAt - lookedAt > longestPauseMs) judgesFrom = answeredAt + leaseMs;
    const looksForHoldsNow = ++looks % leaseScanEvery === 0;
    if (answeredAt >= judgesFrom && (isAnyDead || looksForHoldsNow)) await requeueFromDeadWorkers(parts);
    lookedAt = performance.now();
  };
}

/** Takes back what dead workers held. */
export async function requeueFromDeadWorkers(
  { db, clock, log }: MaintenanceContext,
  lease = leaseMs,
): Promise<void> {
  const { back, closed } = await requeueOrphanedJobs(db, lease, clock.now());
  await removeDeadWorkers(db, lease);
  if (back.length > 0) log.warn({ jobs: back.length }, 'jobs were taken back from workers that died');
  if (closed.length > 0)
    log.error({ jobs: closed }, 'jobs were closed: they took down every worker that held them');
  for (const id of [...back, ...closed]) db.announce(jobTopic(id));
  if (back.length > 0) db.announce(availableTopic);
  if (closed.length > 0) db.announce(deliveryTopic);
}

/** Removes the bytes of ended files, then their rows: no address outlives its bytes, no byte its row. */
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

/** Deletes rows of jobs that ended long ago, and lines of usage that are older still. */
export async function prune({ db, clock }: MaintenanceContext): Promise<void> {
  while ((await pruneJobs(db, clock.now() - finalJobLifeMs, batch)) === batch);
  while ((await pruneUsage(db, clock.now() - usageLifeMs, batch)) === batch);
}

/** Deletes sessions that ended by themselves, and rates of logins that are over. */
export async function pruneLogins({ db, clock }: Pick<MaintenanceContext, 'db' | 'clock'>): Promise<void> {
  while ((await pruneSessions(db, clock.now(), batch)) === batch);
  while ((await pruneBuckets(db, clock.now(), batch)) === batch);
}

/** Removes blobs that no file names: what a crash between blob and row left. */
export async function removeOrphans({ db, blobs, clock, log }: MaintenanceContext): Promise<void> {
  let keys: string[] = [];
  const removeUnknown = async () => {
    const known = await findReferencedBlobs(db, keys);
    const orphans = keys.filter(key => !known.has(key));
    for (const key of orphans) await blobs.remove(key);
    if (orphans.length > 0) log.info({ blobs: orphans.length }, 'leftover blobs were removed');
    keys = [];
  };
  for await (const key of blobs.list(clock.now() - orphanAgeMs)) {
    keys.push(key);
    if (keys.length === batch) await removeUnknown();
  }
  await removeUnknown();
  const unfinished = await blobs.removeUnfinished(clock.now() - orphanAgeMs);
  if (unfinished > 0) log.info({ unfinished }, 'blobs that were never finished were removed');
}
