/** Callbacks (webhooks) of the user's own jobs: what `atelier listen` forwards to a program on a machine. */

import type { FastifyRequest } from 'fastify';
import { readCallbackContent } from '../../answers/callback-content.ts';
import { ownCallbackContentSchema, ownCallbackPageSchema } from '../../answers/own-callback.ts';
import { parseTime, toUnixSeconds } from '../../domain/clock.ts';
import { type DeliveryId, parseDeliveryId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import {
  listDeliveriesOfUser,
  type OwnDelivery,
  readDeliveryOfUser,
} from '../../store/callbacks/own-deliveries.ts';
import { pageBody } from '../page-body.ts';
import { inQuery, limitParameter } from '../parameters.ts';
import { readPageQuery, refuseQuery } from '../read-job-query.ts';
import { pathValue, queryValue } from '../request-values.ts';
import type { KeyRoute } from '../route.ts';

/** Callbacks of the user, of every key and model, newest first. */
export const listOwnCallbacks: KeyRoute = {
  method: 'GET',
  path: '/v1/webhooks/deliveries',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'A page.', body: ownCallbackPageSchema },
  },
  docs: {
    tag: 'Callbacks',
    operationId: 'listCallbacks',
    summary: 'The callbacks (webhooks) of your jobs, newest first',
    parameters: [inQuery('since', { type: 'string' }), limitParameter, inQuery('after', { type: 'string' })],
  },
  open:
    ({ db }) =>
    async ({ userId }, request) => {
      const { limit } = readPageQuery(request);
      const [since, after] = [readSince(request), readAfter(request)];
      const found = await listDeliveriesOfUser(db, { userId, since, after, limit: limit + 1 });
      const data = found.slice(0, limit).map(callbackBody);
      return pageBody({ data, hasMore: found.length > limit, idOf: ({ id }) => id });
    },
};

/** One of them with its body. It is not signed: that takes the secret, which has a scope of its own. */
export const getOwnCallback: KeyRoute = {
  method: 'GET',
  path: '/v1/webhooks/deliveries/:deliveryId',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'detail',
  refusals: ['callback_unknown'],
  answers: {
    200: { description: 'The callback.', body: ownCallbackContentSchema },
  },
  docs: {
    tag: 'Callbacks',
    operationId: 'getCallback',
    summary: 'One callback (webhook) with the body that is sent',
  },
  open:
    context =>
    async ({ userId }, request) => {
      const id = parseDeliveryId(pathValue(request, 'deliveryId'));
      const delivery = id && (await readDeliveryOfUser(context.db, id, userId));
      if (!delivery) throw refuse('callback_unknown');
      const content = await readCallbackContent(context, delivery);
      return { ...callbackBody(delivery), body: content.kind === 'body' ? content.body : null };
    },
};

const callbackBody = (delivery: OwnDelivery) => ({
  id: delivery.id,
  object: 'callback',
  request_id: delivery.jobId,
  model: delivery.modelId,
  status: delivery.status,
  state: delivery.state,
  created_at: toUnixSeconds(delivery.createdAt),
});

/** Epoch ms of the earliest creation; null: no bound. */
function readSince(request: FastifyRequest): number | null {
  const since = queryValue(request, 'since');
  if (since === undefined) return null;
  return parseTime(since) ?? refuseQuery('since', 'must be a time: ISO 8601 or Unix seconds');
}

/** The callback after which the page begins. */
function readAfter(request: FastifyRequest): DeliveryId | null {
  const after = queryValue(request, 'after');
  if (after === undefined) return null;
  return parseDeliveryId(after) ?? refuseQuery('after', 'must be the id of a callback');
}
