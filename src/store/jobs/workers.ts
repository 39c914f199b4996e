import { type JobId, jobIdFromRow, type WorkerId } from '../../domain/ids.ts';
import type { Connection } from '../db/connection.ts';
import { text } from '../db/rows.ts';

/** A worker process is the lease of everything it holds. */
export async function registerWorker(db: Connection, worker: WorkerId): Promise<void> {
  await db.write(`INSERT INTO workers (id, started_at, heartbeat_at) VALUES ($1, ${db.nowMs}, ${db.nowMs})`, [
    worker,
  ]);
}

/** The ids of those that beat within the lease, which is a place in the statement. Whoever is not among them holds nothing. */
export const aliveWorkers = ({ nowMs }: Connection, leaseMs: string): string =>
  `SELECT id FROM workers WHERE heartbeat_at > ${nowMs} - ${leaseMs}`;

/** False when the row is gone: others take this worker for dead, and it holds nothing any more. */
export async function recordHeartbeat(db: Connection, worker: WorkerId): Promise<boolean> {
  const [row] = await db.write(`UPDATE workers SET heartbeat_at = ${db.nowMs} WHERE id = $1 RETURNING id`, [
    worker,
  ]);
  return row !== undefined;
}

/** The jobs this worker holds whose cancel was asked for: hints can be lost, this is the truth. */
export async function findCancelRequested(db: Connection, worker: WorkerId): Promise<readonly JobId[]> {
  const rows = await db.read(
    `SELECT id FROM jobs WHERE holder = $1 AND state = 'running' AND cancel_requested_at IS NOT NULL`,
    [worker],
  );
  return rows.map(row => jobIdFromRow(text(row, 'id')));
}

/** That a worker was told to stop: nothing that it holds is blamed for the end of its process any more. */
export async function markStopping(db: Connection, worker: WorkerId): Promise<void> {
  await db.write(`UPDATE workers SET stopping_at = ${db.nowMs} WHERE id = $1`, [worker]);
}

export async function removeWorker(db: Connection, worker: WorkerId): Promise<void> {
  await db.write('DELETE FROM workers WHERE id = $1', [worker]);
}

export async function hasDeadWorkers(db: Connection, leaseMs: number): Promise<boolean> {
  const rows = await db.read(`SELECT id FROM workers WHERE heartbeat_at <= ${db.nowMs} - $1 LIMIT 1`, [
    leaseMs,
  ]);
  return rows.length > 0;
}

/**
 * Removes rows of workers that died long ago, or at once all of them where only one process can be. A row stays
 * while something is held under it: what a rescue found locked is looked for again.
 */
export async function removeDeadWorkers(db: Connection, leaseMs: number): Promise<void> {
  await db.write(
    `DELETE FROM workers WHERE heartbeat_at <= ${db.nowMs} - $1
       AND NOT EXISTS (SELECT 1 FROM jobs WHERE holder = workers.id AND state = 'running')`,
    [leaseMs],
  );
}
