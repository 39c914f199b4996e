/** The timeline of jobs: entries, and texts that several statements write. */
import { uuidv7 } from '../../domain/ids.ts';
import type { JobEvent } from '../../domain/job.ts';
import { jobError } from '../../domain/job.ts';
import type { Statements } from '../db/connection.ts';

/** The error of a job that missed its deadline. */
export const expiredError = jobError('expired', 'the deadline passed before the job was done');

/** Adds an entry to the timeline of a job. */
export const insertEvent = (tx: Statements, jobId: string, event: JobEvent): Promise<void> =>
  insertEvents(tx, [jobId], event);

/** The same entry for many jobs. */
export async function insertEvents(
  tx: Statements,
  jobIds: readonly string[],
  { at, level, message }: JobEvent,
): Promise<void> {
  if (jobIds.length === 0) return;
  const lines = jobIds.map((_, index) => `($${2 * index + 4}, $${2 * index + 5}, $1, $2, $3)`).join(', ');
  await tx.write(`INSERT INTO events (id, job_id, at, level, message) VALUES ${lines}`, [
    at,
    level,
    message,
    ...jobIds.flatMap(jobId => [uuidv7(at), jobId]),
  ]);
}

/** Timeline entry of a job that its worker released. */
export const requeuedEvent = (at: number): JobEvent => ({
  at,
  level: 'INFO',
  message: 'Requeued: worker shut down',
});
