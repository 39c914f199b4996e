/** Cancels a job at its client's or an operator's request. */

import type { Lease } from '../../domain/job.ts';
import { type JobState, jobError } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import { markUncertain } from '../attempts/uncertain.ts';
import { enqueueCallback } from '../callbacks/deliveries.ts';
import { type Connection, deliveryTopic, jobTopic, type Statements } from '../db/connection.ts';
import { textOrNull } from '../db/rows.ts';
import { releaseHolds } from '../money/release-holds.ts';
import { type Actor, writeAudit } from '../people/audit.ts';
import { expireInputs } from './inputs.ts';
import type { JobAddress } from './read.ts';

/** The error of a cancelled job. */
export const cancelledError = jobError('cancelled', 'the job was cancelled');

/** `requested`: it runs, and its worker stops it. `unknown`: there is no such job at that address. */
export type Cancellation = 'cancelled' | 'requested' | 'already_final' | 'unknown';

/**
 * Ends an available job at once; requests the worker of a running one to stop. Repeating it is harmless, and the
 * audit records the first request alone. Announces the change.
 */
export async function cancelJob(
  db: Connection,
  address: JobAddress,
  now: number,
  actor: Actor = 'operator',
): Promise<Cancellation> {
  const cancellation = await cancelInTransaction(db, address, now, actor);
  if (cancellation === 'cancelled' || cancellation === 'requested') db.announce(jobTopic(address.jobId));
  if (cancellation === 'cancelled') db.announce(deliveryTopic);
  return cancellation;
}

function cancelInTransaction(
  db: Connection,
  { jobId, userId, modelId }: JobAddress,
  now: number,
  actor: Actor,
): Promise<Cancellation> {
  const address = 'id = $1 AND user_id = $2 AND model_id = $3';
  const values = [jobId, userId, modelId];
  const auditCancel = (tx: Statements, state: JobState) => {
    const details = { user: userId, model: modelId, state };
    return writeAudit(tx, { at: now, actor, action: 'job.cancel', subject: jobId, details });
  };
  return db.transaction(async tx => {
    for (;;) {
      const [ended] = await tx.write(
        `UPDATE jobs SET state = 'cancelled', completed_at = $4, cancel_requested_at = $4, error = $5
         WHERE ${address} AND state = 'available' RETURNING callback_url`,
        [...values, now, toJson(cancelledError)],
      );
      if (ended) {
        await markUncertain(tx, [jobId], now);
        await releaseHolds(tx, [jobId], now);
        await expireInputs(tx, [jobId], now);
        if (textOrNull(ended, 'callback_url') !== null) await enqueueCallback(tx, jobId, 'cancelled', now);
        await auditCancel(tx, 'available');
        return 'cancelled';
      }
      const [marked] = await tx.write(
        `UPDATE jobs SET cancel_requested_at = $4
         WHERE ${address} AND state = 'running' AND cancel_requested_at IS NULL RETURNING id`,
        [...values, now],
      );
      if (marked) {
        await auditCancel(tx, 'running');
        return 'requested';
      }
      const [row] = await tx.read(`SELECT state FROM jobs WHERE ${address}`, values);
      if (!row) return 'unknown';
      if (row.state === 'running') return 'requested';
      // Requeued between the statements, it is available again and ended in the next round.
      if (row.state !== 'available') return 'already_final';
    }
  });
}

/** Marks an ended job as no longer wanted by its client: mounts do not show it again, and its state stays as it is. */
export const markUnwanted = (db: Statements, { jobId, userId, modelId }: JobAddress, now: number) =>
  db.write(
    `UPDATE jobs SET cancel_requested_at = $4 WHERE id = $1 AND user_id = $2 AND model_id = $3
     AND state IN ('completed', 'failed') AND cancel_requested_at IS NULL`,
    [jobId, userId, modelId, now],
  );

/** Whether cancellation of a leased job was requested; false also once the lease is lost. */
export async function isCancelRequested(db: Statements, lease: Lease): Promise<boolean> {
  const rows = await db.read(
    `SELECT id FROM jobs WHERE id = $1 AND holder = $2 AND claim = $3 AND cancel_requested_at IS NOT NULL`,
    [lease.jobId, lease.holder, lease.claim],
  );
  return rows.length > 0;
}
