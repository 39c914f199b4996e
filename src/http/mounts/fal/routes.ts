/** The routes of the mount for clients of fal: docs/mounts.md. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  falCancellationSchema,
  falDetailSchema,
  falFaultsSchema,
  falHandleSchema,
  falResultSchema,
  falStatusSchema,
  falUploadSchema,
  falUrls,
} from '../../../answers/fal-bodies.ts';
import { isFinal } from '../../../domain/job.ts';
import { type Principal, refusalOfScope, type Scope } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';
import type { HttpContext } from '../../http-context.ts';
import { inputRefusals, uploadRefusals } from '../../refusals-of-route.ts';
import type { KeyRoute, Route } from '../../route.ts';
import { findOwnJob } from '../kit/find-own-job.ts';
import { requireScopes } from '../kit/require-scopes.ts';
import { waitForEnd } from '../kit/wait-for-end.ts';
import { answerCancel, answerResult, answerStatus } from './answer.ts';
import { type FalCall, readCall } from './call.ts';
import { type Submission, submit } from './submit.ts';
import { initiateUpload, takeFalUpload } from './upload.ts';

/** A call that waits for its result answers by then; proxies before the gateway seldom wait longer than five minutes. */
const runSeconds = 280;

/** One route for each method: the paths end in names of any number of parts, and a proxy's has none. */
const routeOf = (method: 'GET' | 'POST' | 'PUT'): KeyRoute => ({
  method,
  path: '/fal/*',
  auth: 'key',
  schemes: ['Key'],
  // Each call needs a scope of its own.
  scope: 'any-key',
  errors: 'fal',
  refusals: [
    ...(['path_unknown', 'job_unknown', 'stream_unsupported'] as const),
    ...Object.values(refusalOfScope),
    ...inputRefusals,
    ...uploadRefusals,
  ],
  answers: {
    200: {
      description: 'The handle, the status, the result, or the addresses of an upload.',
      body: falHandleSchema.or(falUploadSchema).or(falStatusSchema).or(falResultSchema),
    },
    202: { description: 'Not finished, or a cancellation.', body: falStatusSchema.or(falCancellationSchema) },
    400: { description: 'Cancelled or ended.', body: falCancellationSchema.or(falDetailSchema) },
    422: { description: 'The run failed by its input.', body: falFaultsSchema },
    500: { description: 'The run failed.', body: falDetailSchema },
    504: { description: 'The run goes on.', body: falDetailSchema },
  },
  docs: { undocumented: 'the protocol of another service: docs/mounts.md' },
  open: context => (principal, request, reply) => answer(context, principal, { request, reply }),
});

/** A request and its reply. */
interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The scopes that each call needs; the route cannot name one for all. */
const scopesOf: Readonly<Record<FalCall['kind'], readonly Scope[]>> = {
  submit: ['jobs:create'],
  // Its answer is the result.
  run: ['jobs:create', 'jobs:read'],
  cancel: ['jobs:create'],
  status: ['jobs:read'],
  result: ['jobs:read'],
  stream: ['jobs:read'],
  upload: ['files'],
  multipart: ['files'],
};

/** The call is read from the path; its scopes are checked before anything is done. */
async function answer(context: HttpContext, principal: Principal, exchange: Exchange): Promise<unknown> {
  const { request, reply } = exchange;
  const call = readCall(request);
  requireScopes(principal, scopesOf[call.kind]);
  switch (call.kind) {
    case 'upload':
      return initiateUpload(context, principal, request);
    case 'multipart':
      // The packages send files beyond 90 MB in parts, which is more than any file here may have.
      throw refuse('file_too_large');
    case 'stream':
      throw refuse('stream_unsupported');
    case 'submit':
      return answerSubmission(context, principal, exchange, call);
    case 'run':
      return run(context, principal, exchange, call);
    case 'status': {
      const job = await findOwnJob(context, principal, call.jobId);
      const withLogs = ['1', 'true'].includes(call.query.logs ?? '');
      return answerStatus(context, job, reply, { app: call.app, withLogs });
    }
    case 'result':
      return answerResult(context, await findOwnJob(context, principal, call.jobId), reply, call.app);
    case 'cancel':
      return answerCancel(context, principal, await findOwnJob(context, principal, call.jobId), reply);
  }
}

/** The handle, once the job is stored. */
async function answerSubmission(
  context: HttpContext,
  principal: Principal,
  { request, reply }: Exchange,
  submission: Omit<Submission, 'isHeld'>,
) {
  const { jobId, position, replayed } = await submit(context, principal, request, {
    ...submission,
    isHeld: false,
  });
  if (replayed) reply.header('idempotent-replayed', 'true');
  return {
    request_id: jobId,
    gateway_request_id: jobId,
    status: 'IN_QUEUE',
    ...falUrls(context.publicUrl(), submission.app, jobId),
    queue_position: position,
  };
}

/** The result itself; past the wait a 504 that the packages do not repeat. */
async function run(
  context: HttpContext,
  principal: Principal,
  { request, reply }: Exchange,
  call: Omit<Submission, 'isHeld'>,
) {
  const { jobId, modelId } = await submit(context, principal, request, { ...call, isHeld: true });
  reply.header('x-fal-request-id', jobId);
  const ended = await waitForEnd(context, { jobId, modelId, userId: principal.userId }, runSeconds, reply);
  const job = await findOwnJob(context, principal, jobId);
  if (isFinal(ended.state)) return answerResult(context, job, reply, call.app);
  reply.code(504).header('x-fal-request-timeout-type', 'user');
  return { detail: `Request ${jobId} is not finished; ask for its result with the queue` };
}

/** Every route of the mount. */
export const falRoutes: readonly Route[] = [takeFalUpload, routeOf('POST'), routeOf('GET'), routeOf('PUT')];
