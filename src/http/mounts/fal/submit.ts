/** Creates a job from a submission of a client of fal. */

import type { FastifyRequest } from 'fastify';
import type { Admitted, AskedBesideBody } from '../../../admission/draft.ts';
import type { Principal } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';
import type { HttpContext } from '../../http-context.ts';
import { createMountedJob } from '../kit/create-mounted-job.ts';
import { withJsonBody } from '../kit/read-mounted-body.ts';
import { idempotencyKeyOf } from '../kit/repeated-creation.ts';
import { inTheirWords, translate } from '../kit/translate.ts';
import { webhookAddress } from '../kit/webhook-address.ts';
import type { Query } from './call.ts';
import { findEndpoint } from './find-endpoint.ts';

/** The endpoint of a submission and its query. */
export interface Submission {
  readonly app: string;
  readonly query: Query;
  /** Whether the client waits for the result. */
  readonly isHeld: boolean;
}

/**
 * Throws the refusals of a creation, in the words of the endpoint. Where the client waits for the result (`isHeld`), the
 * same body again is its retry: the packages send it again when a connection breaks.
 */
export async function submit(
  context: HttpContext,
  principal: Principal,
  request: FastifyRequest,
  { app, query, isHeld }: Submission,
): Promise<Admitted> {
  const { model, translation, preset } = findEndpoint(context, app);
  const asked = readAsked(request, query);
  return withJsonBody(context, { principal, request, maxBytes: model.maxBodyBytes }, async body => {
    const input = translate(translation, body, preset);
    const key = isHeld
      ? await idempotencyKeyOf(context, request, { principal, model, input: { ...input, asked }, isHeld })
      : undefined;
    const withKey = { ...asked, ...(key !== undefined && { idempotencyKey: key }) };
    return createMountedJob(context, principal, request, { model, input, asked: withKey }).catch(failure => {
      throw inTheirWords(translation, failure);
    });
  });
}

/** The band of the cheaper tier: claimed after every job of the default one. */
const lowPriority = 1;

/** The webhook of the query and what the headers say of the run; throws a 422 that names one. */
function readAsked(request: FastifyRequest, query: Query): AskedBesideBody {
  const webhook = query.fal_webhook;
  const unknown = Object.keys(query).find(name => name !== 'fal_webhook');
  if (unknown !== undefined) throw refuseNamed(unknown, 'is not a parameter of a submission');
  const timeout = headerOf(request, 'x-fal-request-timeout');
  const priority = headerOf(request, 'x-fal-queue-priority') ?? 'normal';
  if (priority !== 'normal' && priority !== 'low')
    throw refuseNamed('x-fal-queue-priority', 'must be normal or low');
  if (timeout !== undefined && !(Number(timeout) > 0))
    throw refuseNamed('x-fal-request-timeout', 'must be a number of seconds');
  return {
    ...(webhook !== undefined && { callbackUrl: webhookAddress('fal_webhook', webhook, { of: 'fal' }) }),
    ...(timeout !== undefined && { cancelAfter: String(Math.ceil(Number(timeout))) }),
    ...(priority === 'low' && { priority: lowPriority }),
  };
}

const headerOf = (request: FastifyRequest, name: string): string | undefined =>
  [request.headers[name]].flat()[0];

const refuseNamed = (name: string, reason: string) =>
  refuse('input_invalid', { subject: `${name}: ${reason}`, fields: [name] });
