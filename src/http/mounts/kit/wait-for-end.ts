/** Waits for the end of a job, for protocols whose answer is the result itself. */

import type { FastifyReply } from 'fastify';
import { seconds } from '../../../domain/clock.ts';
import { isFinal } from '../../../domain/job.ts';
import type { JobAddress, JobForStatus } from '../../../store/jobs/read.ts';
import type { HttpContext } from '../../http-context.ts';
import { findJob } from '../../read-job.ts';

/** The job once it has ended, or as it is after that many seconds, when the client is gone, or when the server stops. */
export async function waitForEnd(
  context: HttpContext,
  address: JobAddress,
  waitSeconds: number,
  reply: FastifyReply,
): Promise<JobForStatus> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const endsAt = context.clock.now() + waitSeconds * seconds;
  for (;;) {
    // Watched before it is read, so that no change between the two is missed.
    const restMs = Math.max(0, endsAt - context.clock.now());
    const change = context.jobWatch.nextChange(address.jobId, restMs, gone.signal);
    const job = await findJob(context, address);
    if (isFinal(job.state) || restMs === 0 || gone.signal.aborted || context.jobWatch.isClosed()) {
      gone.abort();
      return job;
    }
    await change;
  }
}
