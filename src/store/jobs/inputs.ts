/** Expiry of input media: they live as long as a job may still need them. */
import { hours } from '../../domain/clock.ts';
import { outputLifeMs } from '../../domain/file.ts';
import type { JobId } from '../../domain/ids.ts';
import type { Statements } from '../db/connection.ts';

/** How long input media outlive a job that was never charged: time to run it again. */
const unchargedInputLifeMs = 1 * hours;

/** Not final, completed, or perhaps charged: an operator who resolves that may resend the job. */
const needsInputs = `needing.state IN ('available', 'running', 'completed')
  OR EXISTS (SELECT 1 FROM attempts WHERE attempts.job_id = needing.id AND attempts.billable = 1
    AND (attempts.answer IS NULL OR attempts.answer <> 'refused'))`;

/**
 * Shortens the life of the input media of jobs that just ended to an hour, in the same transaction; not of jobs that
 * may have been charged, nor where a copy of the job needs them. Copies use the files of the original.
 */
export async function expireInputs(tx: Statements, jobIds: readonly string[], now: number): Promise<void> {
  if (jobIds.length === 0) return;
  await tx.write(
    // The sum keeps the planner on the index by job: with the index by expiry it would read the files of all users.
    `UPDATE files SET expires_at = $1 WHERE source = 'input' AND expires_at + 0 > $1
       AND job_id IN (SELECT COALESCE(inputs_of, id) FROM jobs
         WHERE id IN (${jobIds.map((_, index) => `$${index + 2}`).join(', ')}))
       AND NOT EXISTS (SELECT 1 FROM jobs AS needing WHERE needing.id = files.job_id AND (${needsInputs}))
       AND NOT EXISTS (SELECT 1 FROM jobs AS needing WHERE needing.inputs_of = files.job_id AND (${needsInputs}))`,
    [now + unchargedInputLifeMs, ...jobIds],
  );
}

/** For a copy: extends the life of the original's media to that of a job created now. */
export async function extendInputs(tx: Statements, firstId: JobId, now: number): Promise<void> {
  await tx.write(
    `UPDATE files SET expires_at = $2 WHERE job_id = $1 AND source = 'input' AND deleted_at IS NULL
       AND expires_at > $3 AND expires_at < $2`,
    [firstId, now + outputLifeMs, now],
  );
}
