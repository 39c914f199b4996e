// Detects workers that died, and requeues the jobs they had leased.

import { requeueOrphanedJobs } from '../store/jobs/orphaned-jobs.ts';
import { hasDeadWorkers, removeDeadWorkers } from '../store/jobs/workers.ts';
import type { WorkerContext } from './context.ts';
import { leaseMs } from './lease.ts';

type DeadWorkerContext = Pick<WorkerContext, 'db' | 'clock' | 'log'>;

/** After a longer pause than this between two checks, a missing heartbeat says nothing about its worker. */
const longestPauseMs = leaseMs / 2;
/** Every so many checks running jobs are scanned, too: a worker's row may be gone while jobs are leased to it. */
const leaseScanEvery = 10;

/** A maintenance task. While no worker is dead, a check is one small statement. */
export function openDeadWorkerCheck(): (context: DeadWorkerContext) => Promise<void> {
  let checks = 0;
  let checkedAt = performance.now();
  let detectFrom = checkedAt;
  return async function checkDeadWorkers(context) {
    const isAnyDead = await hasDeadWorkers(context.db, leaseMs);
    const answeredAt = performance.now();
    // While the database was unavailable or the machine suspended, no worker could write its heartbeat.
    if (answeredAt - checkedAt > longestPauseMs) detectFrom = answeredAt + leaseMs;
    const scansLeases = ++checks % leaseScanEvery === 0;
    if (answeredAt >= detectFrom && (isAnyDead || scansLeases)) await requeueFromDeadWorkers(context);
    checkedAt = performance.now();
  };
}

/** Requeues the jobs of dead workers, and fails those that crashed too many. `lease` in ms: 0 at a start alone. */
export async function requeueFromDeadWorkers(
  { db, clock, log }: DeadWorkerContext,
  lease = leaseMs,
): Promise<void> {
  const { requeued, failed } = await requeueOrphanedJobs(db, lease, clock.now());
  await removeDeadWorkers(db, lease);
  if (requeued.length > 0) log.warn({ jobs: requeued.length }, 'jobs requeued: worker died');
  if (failed.length > 0) log.error({ jobs: failed }, 'jobs failed: crash limit reached');
}
