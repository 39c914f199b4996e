import { hours } from '../../domain/clock.ts';
import { outputLifeMs } from '../../domain/file.ts';
import type { JobId } from '../../domain/ids.ts';
import type { Statements } from '../db/connection.ts';

/** How long the media of a creation outlive a job that was never charged: time to run it again. */
const unchargedInputLifeMs = 1 * hours;

/** Still to be made, made, or perhaps charged: whoever settles that may send it again. */
const needsInputs = `needing.state IN ('available', 'running', 'completed')
  OR EXISTS (SELECT 1 FROM attempts WHERE attempts.job_id = needing.id AND attempts.billable = 1
    AND (attempts.answer IS NULL OR attempts.answer <> 'refused'))`;

/**
 * Lets the media that came with jobs that just ended go in an hour, in the same transaction; not of those that may
 * have been charged, nor where a copy of the job needs them. Copies use the files of the first.
 */
export async function expireInputs(tx: Statements, jobIds: readonly string[], now: number): Promise<void> {
  if (jobIds.length === 0) return;
  await tx.write(
    // The sum keeps the planner on the index of jobs: by that of ends it would read through everybody's files.
    `UPDATE files SET expires_at = $1 WHERE source = 'input' AND expires_at + 0 > $1
       AND job_id IN (SELECT COALESCE(inputs_of, id) FROM jobs
         WHERE id IN (${jobIds.map((_, index) => `$${index + 2}`).join(', ')}))
       AND NOT EXISTS (SELECT 1 FROM jobs AS needing WHERE needing.id = files.job_id AND (${needsInputs}))
       AND NOT EXISTS (SELECT 1 FROM jobs AS needing WHERE needing.inputs_of = files.job_id AND (${needsInputs}))`,
    [now + unchargedInputLifeMs, ...jobIds],
  );
}

/** For a copy: the media that came with the first job live as long as those of a creation of now. */
export async function extendInputs(tx: Statements, firstId: JobId, now: number): Promise<void> {
  await tx.write(
    `UPDATE files SET expires_at = $2 WHERE job_id = $1 AND source = 'input' AND deleted_at IS NULL
       AND expires_at > $3 AND expires_at < $2`,
    [firstId, now + outputLifeMs, now],
  );
}
