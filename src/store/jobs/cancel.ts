import { type JobState, jobError } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import { markUncertain } from '../attempts/uncertain.ts';
import { enqueueCallback } from '../callbacks/deliveries.ts';
import type { Connection, Statements } from '../db/connection.ts';
import { textOrNull } from '../db/rows.ts';
import { type Actor, writeAudit } from '../people/audit.ts';
import { expireInputs } from './inputs.ts';
import type { JobAddress } from './read.ts';

export const cancelledError = jobError('cancelled', 'the job was cancelled');

export type Cancellation = 'cancelled' | 'requested' | 'already_final' | 'unknown';

/**
 * Ends a waiting job at once; asks the holder of a running one to stop. Repeating it is harmless, and the
 * audit tells of the first alone.
 */
export function cancelJob(
  db: Connection,
  asked: JobAddress,
  now: number,
  actor: Actor = 'operator',
): Promise<Cancellation> {
  const address = 'id = $1 AND user_id = $2 AND model_id = $3';
  const values = [asked.jobId, asked.userId, asked.modelId];
  const auditCancel = (tx: Statements, state: JobState) => {
    const details = { user: asked.userId, model: asked.modelId, state };
    return writeAudit(tx, { at: now, actor, action: 'job.cancel', subject: asked.jobId, details });
  };
  return db.transaction(async tx => {
    for (;;) {
      const [ended] = await tx.write(
        `UPDATE jobs SET state = 'cancelled', completed_at = $4, cancel_requested_at = $4, error = $5
         WHERE ${address} AND state = 'available' RETURNING callback_url`,
        [...values, now, toJson(cancelledError)],
      );
      if (ended) {
        await markUncertain(tx, [asked.jobId], now);
        await expireInputs(tx, [asked.jobId], now);
        if (textOrNull(ended, 'callback_url') !== null)
          await enqueueCallback(tx, asked.jobId, 'cancelled', now);
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
      // Handed back between the statements, it waits again and is ended.
      if (row.state !== 'available') return 'already_final';
    }
  });
}
