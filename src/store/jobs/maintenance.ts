/** Maintenance of jobs: expiry of deadlines, requeueing after a worker's crash, pruning of old rows. */
import { toJson } from '../../domain/json.ts';
import { markUncertain } from '../attempts/uncertain.ts';
import { enqueueCallback } from '../callbacks/deliveries.ts';
import { type Connection, deliveryTopic, jobTopic, type Row, type Statements } from '../db/connection.ts';
import { text, textOrNull } from '../db/rows.ts';
import { releaseHolds } from '../money/release-holds.ts';
import { expiredError } from './events.ts';
import { expireInputs } from './inputs.ts';
import { removeFromIndex } from './search-index.ts';

/** Fails available jobs whose deadline passed, and announces it; returns their ids, at most `limit` a call. */
export async function expireJobs(db: Connection, now: number, limit: number): Promise<readonly string[]> {
  const expired = await expireInTransaction(db, now, limit);
  announceFailed(db, expired);
  return expired;
}

/** Their callbacks are due at once. */
export function announceFailed(db: Connection, jobIds: readonly string[]): void {
  for (const id of jobIds) db.announce(jobTopic(id));
  if (jobIds.length > 0) db.announce(deliveryTopic);
}

/** Waiting jobs whose deadline has passed fail, with everything that belongs to the end of a job. */
function expireInTransaction(db: Connection, now: number, limit: number): Promise<readonly string[]> {
  return db.transaction(async tx => {
    const rows = await tx.write(
      `WITH late AS MATERIALIZED (
         SELECT id FROM jobs WHERE state = 'available' AND expires_at <= $1 ORDER BY expires_at LIMIT $2 ${db.skipLocked})
       UPDATE jobs SET state = 'failed', completed_at = $1, error = $3
       WHERE id IN (SELECT id FROM late) AND state = 'available' RETURNING id, callback_url`,
      [now, limit, toJson(expiredError)],
    );
    const ids = rows.map(row => text(row, 'id'));
    await markUncertain(tx, ids, now);
    await releaseHolds(tx, ids, now);
    await expireInputs(tx, ids, now);
    return enqueueFailureCallbacks(tx, rows, now);
  });
}

/** The ids of rows of jobs. */
export const idsOf = (rows: readonly Row[]): readonly string[] => rows.map(row => text(row, 'id'));

/** Returns the ids of the rows. */
export async function enqueueFailureCallbacks(
  tx: Statements,
  rows: readonly Row[],
  now: number,
): Promise<readonly string[]> {
  for (const row of rows) {
    if (textOrNull(row, 'callback_url') !== null) await enqueueCallback(tx, text(row, 'id'), 'failed', now);
  }
  return rows.map(row => text(row, 'id'));
}

/**
 * Deletes up to `limit` final jobs that ended before that moment (epoch ms), with the rows that refer to them; returns
 * how many. Jobs with an uncertain submission stay until it is resolved.
 */
export function pruneJobs(db: Connection, endedBefore: number, limit: number): Promise<number> {
  return db.transaction(async tx => {
    const rows = await tx.write(
      `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE completed_at IS NOT NULL AND completed_at <= $1
           AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.job_id = jobs.id
             AND doubted_at IS NOT NULL AND doubt_settled_at IS NULL)
         ORDER BY completed_at LIMIT $2) RETURNING id`,
      [endedBefore, limit],
    );
    await removeFromIndex(tx, db.dialect, idsOf(rows));
    return rows.length;
  });
}

/** Deletes up to `limit` usage rows older than that moment (epoch ms); returns how many. They outlive their jobs. */
export async function pruneUsage(db: Connection, usedBefore: number, limit: number): Promise<number> {
  const rows = await db.write(
    `DELETE FROM usage_lines WHERE (job_id, line) IN (
       SELECT job_id, line FROM usage_lines WHERE at <= $1 ORDER BY at LIMIT $2) RETURNING job_id`,
    [usedBefore, limit],
  );
  return rows.length;
}
