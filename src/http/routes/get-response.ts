import type { FastifyReply, FastifyRequest } from 'fastify';
import { readResultBody } from '../../answers/job-bodies.ts';
import { isFinal, type Job, type JobErrorCode } from '../../domain/job.ts';
import { refuse } from '../../domain/refusal.ts';
import { readJob } from '../../store/jobs/read.ts';
import { answerStatus, jobAddressOfPath, refuseMissing, waitForStatusChange } from '../read-job.ts';
import { type HttpContext, identify, type Route } from '../route.ts';

/** Contract 4.1: the result; 202 with the status body while unfinished, 200 also for a failed job. */
export const getResponse = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/:modelId/requests/:jobId/response',
  errors: 'detail',
  handle: (request, reply) => answerResult(parts, request, reply, () => {}),
});

/** Decisions 2: the path that other queue clients read results from; there a failed job is an error. */
export const getResponseAlias = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/:modelId/requests/:jobId',
  errors: 'detail',
  handle: (request, reply) =>
    answerResult(parts, request, reply, ({ error }) => {
      if (error) throw refuse(callerErrors.includes(error.code) ? 'job_ended_early' : 'job_failed');
    }),
});

/** Ends that trying again does not mend: cancelled, too late, or a wrong input. */
const callerErrors: readonly JobErrorCode[] = [
  'cancelled',
  'expired',
  'invalid_input',
  'file_download_error',
  'file_invalid',
  'content_policy_violation',
];

async function answerResult(
  parts: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  refuseFailed: (job: Job) => void,
) {
  const principal = await identify(parts, request, 'jobs:read');
  const asked = jobAddressOfPath(parts, request, principal);
  const summary = await waitForStatusChange(parts, asked, request, reply);
  // Queue clients take the id of a result, and of its error, from here.
  reply.header('x-fal-request-id', asked.jobId);
  if (!isFinal(summary.state)) {
    reply.code(202);
    return answerStatus(parts, summary, reply, false);
  }
  const job = await readJob(parts.db, asked);
  if (!job) throw refuseMissing(parts, asked.modelId);
  refuseFailed(job);
  return readResultBody(parts, job);
}
