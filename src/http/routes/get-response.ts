import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFinal, type Job, type JobErrorCode } from '../../domain/job.ts';
import { refuse } from '../../domain/refusal.ts';
import { readJob } from '../../store/jobs.ts';
import { resultNow } from '../../worker/result-body.ts';
import { type HttpParts, identify, type Route } from '../parts.ts';
import { addressOfPath, answerStatus, findJobHeld, refuseMissing } from '../read-job.ts';

/** Contract 4.1: the result; 202 with the status body while unfinished, 200 also for a failed job. */
export const getResponse = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/:modelId/requests/:jobId/response',
  errors: 'detail',
  handle: (request, reply) => answerResult(parts, request, reply, () => {}),
});

/** Decisions 2: the path that other queue clients read results from; there a failed job is an error. */
export const getResponseAlias = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/:modelId/requests/:jobId',
  errors: 'detail',
  handle: (request, reply) =>
    answerResult(parts, request, reply, ({ error }) => {
      if (error) throw refuse(endedByTheCaller.includes(error.code) ? 'job_ended_early' : 'job_failed');
    }),
});

/** Ends that trying again does not mend: cancelled, too late, or a wrong input. */
const endedByTheCaller: readonly JobErrorCode[] = [
  'cancelled',
  'expired',
  'invalid_input',
  'file_download_error',
  'file_invalid',
  'content_policy_violation',
];

async function answerResult(
  parts: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  refuseFailed: (job: Job) => void,
) {
  const principal = await identify(parts, request, 'jobs:read');
  const asked = addressOfPath(parts, request, principal);
  const summary = await findJobHeld(parts, asked, request, reply);
  // Queue clients take the id of a result, and of its error, from here.
  reply.header('x-fal-request-id', asked.jobId);
  if (!isFinal(summary.state)) {
    reply.code(202);
    return answerStatus(parts, summary, reply, false);
  }
  const job = await readJob(parts.db, asked);
  if (!job) throw refuseMissing(parts, asked.modelId);
  refuseFailed(job);
  return resultNow(parts, job);
}
