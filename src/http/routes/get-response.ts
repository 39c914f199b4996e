/** The result of a job. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { readResultBody } from '../../answers/job-bodies.ts';
import { jobResultSchema } from '../../answers/job-result.ts';
import { jobStatusSchema } from '../../answers/job-status.ts';
import { isFinal, type Job, type JobErrorCode } from '../../domain/job.ts';
import type { Principal } from '../../domain/key.ts';
import { refuse } from '../../domain/refusal.ts';
import { readJob } from '../../store/jobs/read.ts';
import type { HttpContext } from '../http-context.ts';
import { preferParameter } from '../parameters.ts';
import { answerStatus, jobAddressOfPath, refuseMissing, waitForStatusChange } from '../read-job.ts';
import type { KeyRoute } from '../route.ts';

/** Contract 4.1: the result; 202 with the status body while unfinished, 200 also for a failed job. */
export const getResponse: KeyRoute = {
  method: 'GET',
  path: '/:modelId/requests/:jobId/response',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'detail',
  refusals: ['model_unknown', 'job_unknown'],
  answers: {
    200: { description: 'The job is COMPLETED; `error` tells success from failure.', body: jobResultSchema },
    202: { description: 'The job is not finished.', body: jobStatusSchema },
  },
  docs: {
    tag: 'Jobs',
    operationId: 'getResponse',
    summary: 'The result of a job',
    parameters: [preferParameter],
  },
  open: context => (principal, request, reply) => answerResult(context, principal, request, reply, () => {}),
};

/** Decisions 2: the path that other queue clients read results from; there a failed job is an error. */
export const getResponseAlias: KeyRoute = {
  method: 'GET',
  path: '/:modelId/requests/:jobId',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'detail',
  refusals: ['model_unknown', 'job_unknown', 'job_failed', 'job_ended_early'],
  answers: {
    200: { description: 'The job succeeded.', body: jobResultSchema },
    202: { description: 'The job is not finished.', body: jobStatusSchema },
  },
  docs: {
    undocumented: 'the path that other queue clients read results from; the documented one ends in /response',
  },
  open: context => (principal, request, reply) =>
    answerResult(context, principal, request, reply, ({ error }) => {
      if (error) throw refuse(callerErrors.includes(error.code) ? 'job_ended_early' : 'job_failed');
    }),
};

/** Errors that a retry does not help: cancelled, expired, or a wrong input. */
const callerErrors: readonly JobErrorCode[] = [
  'cancelled',
  'expired',
  'invalid_input',
  'file_download_error',
  'file_invalid',
  'content_policy_violation',
];

/** The result, or 202 with the status; `refuseFailed` may throw for a failed job. */
async function answerResult(
  context: HttpContext,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
  refuseFailed: (job: Job) => void,
) {
  const address = jobAddressOfPath(context, request, principal);
  // With `Prefer: wait` this returns when the state changes, or after the named seconds.
  const summary = await waitForStatusChange(context, address, request, reply);
  // Queue clients take the id of a result, and of its error, from here.
  reply.header('x-fal-request-id', address.jobId);
  if (!isFinal(summary.state)) {
    reply.code(202);
    return answerStatus(context, summary, reply, false);
  }
  // The summary has no result; of a final job the row is read whole, and once.
  const job = await readJob(context.db, address);
  if (!job) throw refuseMissing(context, address.modelId);
  refuseFailed(job);
  return readResultBody(context, job);
}
