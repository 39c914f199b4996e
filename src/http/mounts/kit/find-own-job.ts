/** A job by its id alone, for protocols whose paths have no model of ours. */

import { parseJobId } from '../../../domain/ids.ts';
import type { Job } from '../../../domain/job.ts';
import type { Principal } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';
import { readJobOfUser } from '../../../store/jobs/list-own.ts';
import type { HttpContext } from '../../http-context.ts';

/** Throws the 404 of a job that is missing or another user's, and of what is no id. */
export async function findOwnJob(
  { db }: Pick<HttpContext, 'db'>,
  { userId }: Principal,
  id: string,
): Promise<Job> {
  const jobId = parseJobId(id);
  const job = jobId && (await readJobOfUser(db, jobId, userId));
  if (!job) throw refuse('job_unknown');
  return job;
}
