/** Reads and marks of a job by the worker that leases it; each does nothing once the lease is lost. */
import type { Job, Lease } from '../../domain/job.ts';
import type { Statements } from '../db/connection.ts';
import { jobColumns, jobFromRow } from './read.ts';

/** A leased job with its input; null once the lease is lost. */
export async function readLeasedJob(db: Statements, lease: Lease): Promise<Job | null> {
  const [row] = await db.read(
    `SELECT ${jobColumns} FROM jobs WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running'`,
    [lease.jobId, lease.holder, lease.claim],
  );
  return row ? jobFromRow(row) : null;
}

/** Marks that the outputs of an upstream are fetched and read: a crash from here on may be caused by them. */
export async function markFetchingOutputs(db: Statements, lease: Lease): Promise<void> {
  await db.write(
    `UPDATE jobs SET collecting = 1 WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running'`,
    [lease.jobId, lease.holder, lease.claim],
  );
}

/** Clears a suspect whose submission succeeded. False where it crashed while its outputs were fetched: it stays suspect. */
export async function resetCrashes(db: Statements, lease: Lease): Promise<boolean> {
  const rows = await db.write(
    `UPDATE jobs SET deaths = 0
     WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running' AND died_collecting = 0 RETURNING id`,
    [lease.jobId, lease.holder, lease.claim],
  );
  return rows.length > 0;
}

/** Progress as the provider reports it, 0 to 1; guarded by the lease. */
export async function recordProgress(db: Statements, lease: Lease, progress: number): Promise<void> {
  await db.write(
    `UPDATE jobs SET progress = $4 WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running'`,
    [lease.jobId, lease.holder, lease.claim, Math.round(Math.min(1, Math.max(0, progress)) * 1000)],
  );
}
