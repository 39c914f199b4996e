/** Worker processes and their heartbeats, which keep the leases of their jobs alive. */
import { type JobId, jobIdFromRow, type WorkerId } from '../../domain/ids.ts';
import type { Connection } from '../db/connection.ts';
import { text } from '../db/rows.ts';

/** The heartbeat of this row is the lease of every job the worker claims. */
export async function registerWorker(db: Connection, worker: WorkerId): Promise<void> {
  await db.write(`INSERT INTO workers (id, started_at, heartbeat_at) VALUES ($1, ${db.nowMs}, ${db.nowMs})`, [
    worker,
  ]);
}

/** SQL: ids of workers with a heartbeat within `leaseMs`, which is a placeholder. All other workers lost their leases. */
export const aliveWorkers = ({ nowMs }: Connection, leaseMs: string): string =>
  `SELECT id FROM workers WHERE heartbeat_at > ${nowMs} - ${leaseMs}`;

/** False when the row is gone: other processes consider this worker dead, and its leases are lost. */
export async function recordHeartbeat(db: Connection, worker: WorkerId): Promise<boolean> {
  const [row] = await db.write(`UPDATE workers SET heartbeat_at = ${db.nowMs} WHERE id = $1 RETURNING id`, [
    worker,
  ]);
  return row !== undefined;
}

/** Jobs leased by this worker whose cancellation was requested: announcements can be lost, this cannot. */
export async function findCancelRequested(db: Connection, worker: WorkerId): Promise<readonly JobId[]> {
  const rows = await db.read(
    `SELECT id FROM jobs WHERE holder = $1 AND state = 'running' AND cancel_requested_at IS NOT NULL`,
    [worker],
  );
  return rows.map(row => jobIdFromRow(text(row, 'id')));
}

/** Marks a worker as stopping: a crash of its process is no longer attributed to its jobs. */
export async function markStopping(db: Connection, worker: WorkerId): Promise<void> {
  await db.write(`UPDATE workers SET stopping_at = ${db.nowMs} WHERE id = $1`, [worker]);
}

/** At the end of a worker that stopped in order. */
export async function removeWorker(db: Connection, worker: WorkerId): Promise<void> {
  await db.write('DELETE FROM workers WHERE id = $1', [worker]);
}

/** Whether a worker had no heartbeat for `leaseMs`. */
export async function hasDeadWorkers(db: Connection, leaseMs: number): Promise<boolean> {
  const rows = await db.read(`SELECT id FROM workers WHERE heartbeat_at <= ${db.nowMs} - $1 LIMIT 1`, [
    leaseMs,
  ]);
  return rows.length > 0;
}

/**
 * Removes rows of workers without a heartbeat for `leaseMs`. A row stays while jobs are leased under it: those that
 * were locked when orphans were requeued are found again.
 */
export async function removeDeadWorkers(db: Connection, leaseMs: number): Promise<void> {
  await db.write(
    `DELETE FROM workers WHERE heartbeat_at <= ${db.nowMs} - $1
       AND NOT EXISTS (SELECT 1 FROM jobs WHERE holder = workers.id AND state = 'running')`,
    [leaseMs],
  );
}
