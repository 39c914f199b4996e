/** Waits for the end of a job, for protocols whose answer is the result itself. */

import type { FastifyReply } from 'fastify';
import { isFinal } from '../../../domain/job.ts';
import type { JobAddress, JobForStatus } from '../../../store/jobs/read.ts';
import type { HttpContext } from '../../http-context.ts';
import { waitForJob } from '../../read-job.ts';

/** The job once it has ended, or as it is after that many seconds, when the client is gone, or when the server stops. */
export const waitForEnd = (
  context: HttpContext,
  address: JobAddress,
  waitSeconds: number,
  reply: FastifyReply,
): Promise<JobForStatus> =>
  waitForJob(context, { address, waitSeconds, reply }, ({ state }) => isFinal(state));
