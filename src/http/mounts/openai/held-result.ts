/** Pictures and speech: the request waits for its job, and its answer is the result. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../../body/json-body.ts';
import type { Model } from '../../../catalog/model.ts';
import { isFinal, type Job, type Output } from '../../../domain/job.ts';
import { hasScope, type Principal } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';
import { readJob } from '../../../store/jobs/read.ts';
import type { HttpContext } from '../../http-context.ts';
import { preferredWait } from '../../read-job.ts';
import type { Answer } from '../../route.ts';
import { createMountedJob } from '../kit/create-mounted-job.ts';
import { withFormBody } from '../kit/read-form-body.ts';
import { idempotencyKeyOf } from '../kit/repeated-creation.ts';
import { waitForEnd } from '../kit/wait-for-end.ts';
import { openaiErrorSchema } from './bodies.ts';
import { answerOfFailure, askedBeside, openaiError } from './openai-route.ts';

/** Below the 60 s after which proxies and load balancers usually give a connection up. */
const holdSeconds = 55;

/** The answers of a request without a result. */
export const heldAnswers: Readonly<Record<number, Answer>> = {
  400: { description: 'The job failed because of its input.', body: openaiErrorSchema },
  500: { description: 'The job failed.', body: openaiErrorSchema },
  504: {
    description: 'The job still runs; the same request again waits on for it.',
    body: openaiErrorSchema,
  },
};

/** What a body was read as; `options` is for the answer alone. */
export interface HeldCreation<Options> {
  readonly model: Model;
  readonly input: JsonObject;
  readonly options: Options;
}

/** The request, and how it is read and answered. */
export interface HeldRequest<Options> {
  readonly principal: Principal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Throws the refusal of a body that does not map. */
  readonly read: (body: JsonObject) => HeldCreation<Options>;
  /** The answer of a completed job. */
  readonly answer: (job: Job, primary: readonly Output[], options: Options) => Promise<unknown>;
}

/** Creates the job, or finds that of an earlier attempt, and answers with its result once it has ended. */
export async function answerWithResult<Options>(
  context: HttpContext,
  { principal, request, reply, read, answer }: HeldRequest<Options>,
): Promise<unknown> {
  // The answer is what only a key with this scope may read.
  if (!hasScope(principal, 'jobs:read')) throw refuse('scope_jobs_read');
  const { jobId, model, options } = await withFormBody(
    context,
    principal,
    request,
    async ({ callback_url: callbackUrl = null, ...body }) => {
      const { model, input, options } = read(body);
      const repeated = { principal, model, input: { ...input, callbackUrl }, isHeld: true };
      const key = await idempotencyKeyOf(context, request, repeated);
      const asked = askedBeside(callbackUrl, { of: 'atelier' }, key);
      const { jobId } = await createMountedJob(context, principal, request, { model, input, asked });
      return { jobId, model, options };
    },
  );
  reply.header('x-atelier-request-id', jobId);
  const address = { jobId, userId: principal.userId, modelId: model.id };
  const waitSeconds = Math.min(holdSeconds, preferredWait(request.headers.prefer) ?? holdSeconds);
  const { state } = await waitForEnd(context, address, waitSeconds, reply);
  const job = isFinal(state) ? await readJob(context.db, address) : null;
  if (!job) {
    const message = `The job ${jobId} still runs; send the same request again to wait on for it`;
    reply.code(504);
    return openaiError('timeout_error', 'job_unfinished', message);
  }
  if (job.error || !job.result) return answerFailed(reply, job);
  return answer(
    job,
    job.result.outputs.filter(({ role }) => role === 'primary'),
    options,
  );
}

/** The SDK must not send it again: the same request gets the same failed job. */
function answerFailed(reply: FastifyReply, { error }: Job): unknown {
  if (!error) throw new Error('expected an ended job without a result to have an error');
  const { status, body } = answerOfFailure(error);
  reply.code(status).header('x-should-retry', 'false');
  return body;
}
