/** Creates a prediction: a job from the body of a client of Replicate. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AskedBesideBody } from '../../../admission/draft.ts';
import { predictionSchema, readPrediction } from '../../../answers/prediction.ts';
import type { JsonObject } from '../../../body/json-body.ts';
import { replicateEvents } from '../../../domain/callback-shape.ts';
import { isFinal } from '../../../domain/job.ts';
import { toJson } from '../../../domain/json.ts';
import type { Principal } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';
import type { HttpContext } from '../../http-context.ts';
import { inputRefusals } from '../../refusals-of-route.ts';
import { pathValue } from '../../request-values.ts';
import type { KeyRoute } from '../../route.ts';
import { createMountedJob } from '../kit/create-mounted-job.ts';
import { findOwnJob } from '../kit/find-own-job.ts';
import { withJsonBody } from '../kit/read-mounted-body.ts';
import { idempotencyKeyOf } from '../kit/repeated-creation.ts';
import { requireScopes } from '../kit/require-scopes.ts';
import { inTheirWords, translate } from '../kit/translate.ts';
import { waitForEnd } from '../kit/wait-for-end.ts';
import { webhookAddress } from '../kit/webhook-address.ts';
import { findNamedModel, type NamedModel } from './models.ts';
import { ofMount } from './predictions.ts';

/** That service waits as long, with `Prefer: wait`. */
const maxWaitSeconds = 60;
/** Where the model stands in the body, the bound is that of every model without another (decisions 8). */
const maxBodyBytes = 64 * 1024 * 1024;

const created = {
  ...ofMount,
  method: 'POST',
  scope: 'jobs:create',
  refusals: [...inputRefusals, 'scope_jobs_read', 'stream_unsupported', 'job_unknown'],
  answers: { 201: { description: 'The prediction.', body: predictionSchema } },
} as const;

/** By the name of a model in the path. */
export const createOfModel: KeyRoute = {
  ...created,
  path: '/replicate/v1/models/:owner/:name/predictions',
  open: context => async (principal, request, reply) => {
    const named = findNamedModel(context, `${pathValue(request, 'owner')}/${pathValue(request, 'name')}`);
    return withJsonBody(context, { principal, request, maxBytes: named.model.maxBodyBytes }, body =>
      create(context, principal, { request, reply, named, body }),
    );
  },
};

/** By `version` or `model` in the body. */
export const createOfVersion: KeyRoute = {
  ...created,
  path: '/replicate/v1/predictions',
  open: context => async (principal, request, reply) =>
    withJsonBody(context, { principal, request, maxBytes: maxBodyBytes }, ({ version, model, ...body }) => {
      if (version !== undefined && model !== undefined)
        throw refuse('input_invalid', { subject: 'model: is said twice', fields: ['model'] });
      const named = findNamedModel(context, String(version ?? model ?? ''));
      refuseOver(named.model.maxBodyBytes, request);
      return create(context, principal, { request, reply, named, body });
    }),
};

/** Throws a 413 where the model named in a body has a smaller bound than the body, by its stated length. */
function refuseOver(maxBytes: number, { headers }: FastifyRequest): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw refuse('body_too_large');
}

/** The body beside the model. */
const creation = z.strictObject({
  input: z.record(z.string(), z.unknown(), { error: 'must be an object' }),
  webhook: z.string({ error: 'must be a text' }).nullish(),
  webhook_events_filter: z
    .array(z.enum(replicateEvents), { error: `must be a list of ${replicateEvents.join(', ')}` })
    .nullish(),
  stream: z.boolean({ error: 'must be a boolean' }).nullish(),
});

interface Creation {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly named: NamedModel;
  readonly body: JsonObject;
}

/** Creates, waits where the request prefers to, and answers with the prediction. */
async function create(context: HttpContext, principal: Principal, given: Creation) {
  // Its answer is what only such a key may read.
  requireScopes(principal, ['jobs:read']);
  const { request, reply } = given;
  const { model, translation } = given.named;
  const { input, webhook, events } = readBody(given.body);
  const asked: AskedBesideBody = webhook
    ? { callbackUrl: webhookAddress('webhook', webhook, { of: 'replicate', events }) }
    : {};
  const ours = translate(translation, input);
  const waitSeconds = preferredWait(request);
  // The package sends it again when a connection breaks; where it waits, the same body is a retry.
  const key =
    waitSeconds === null
      ? undefined
      : await idempotencyKeyOf(context, request, {
          principal,
          model,
          input: { ...ours, asked },
          isHeld: true,
        });
  const { jobId, modelId, replayed } = await createMountedJob(context, principal, request, {
    model,
    input: ours,
    asked: { ...asked, ...(key !== undefined && { idempotencyKey: key }) },
  }).catch(failure => {
    throw inTheirWords(translation, failure);
  });
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (waitSeconds !== null) {
    reply.header('preference-applied', `wait=${waitSeconds}`);
    await waitForEnd(context, { jobId, modelId, userId: principal.userId }, waitSeconds, reply);
  }
  const job = await findOwnJob(context, principal, jobId);
  const prediction = await readPrediction(context, job);
  reply.code(201).header('content-type', 'application/json; charset=utf-8');
  // The JavaScript package takes any other status for the end of a run that it waited for.
  return toJson(isFinal(job.state) ? prediction : { ...prediction, status: 'starting' });
}

/** Throws a 422 that names the member. */
function readBody(body: JsonObject) {
  const read = creation.safeParse(body);
  if (!read.success) {
    const faults = read.error.issues.flatMap(issue =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map(key => ({ path: key, reason: 'unknown field' }))
        : [{ path: issue.path.join('.') || 'input', reason: issue.message }],
    );
    throw refuse('input_invalid', {
      subject: faults.map(({ path, reason }) => `${path}: ${reason}`).join('; '),
      fields: faults.map(({ path }) => path),
    });
  }
  const { input, webhook, webhook_events_filter: events, stream } = read.data;
  if (stream) throw refuse('stream_unsupported');
  return { input, webhook, events: events ?? replicateEvents };
}

/** Seconds of `Prefer: wait` or `wait=n`, capped; null where the request does not wait. */
function preferredWait(request: FastifyRequest): number | null {
  const match = /(?:^|[,;\s])wait(?:=(\d{1,6}))?(?:$|[,;\s])/.exec(
    [request.headers.prefer ?? ''].flat().join(','),
  );
  if (!match) return null;
  return Math.min(maxWaitSeconds, Math.max(1, Number(match[1] ?? maxWaitSeconds)));
}
