/** Callbacks (webhooks) in the admin API: list, read, send again. */

import type { FastifyRequest } from 'fastify';
import {
  deliveryDetailSchema,
  deliveryPageSchema,
  deliverySchema,
  redeliverySchema,
} from '../../answers/admin/delivery.ts';
import { withoutCallbackMark } from '../../domain/callback-shape.ts';
import { parseTime, toUnixSeconds } from '../../domain/clock.ts';
import { type DeliveryAttempt, type DeliveryState, deliveryStates } from '../../domain/delivery.ts';
import { type DeliveryId, parseDeliveryId, parseJobId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import {
  type DeliveryQuery,
  type ListedDelivery,
  listDeliveries as listInStore,
  readDelivery,
} from '../../store/callbacks/deliveries.ts';
import {
  listDeliveryAttempts,
  redeliverFailed as redeliverFailedInStore,
  redeliver as redeliverInStore,
} from '../../store/callbacks/redeliver.ts';
import type { HttpContext } from '../http-context.ts';
import { pageBody } from '../page-body.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import { pathValue, queryOf, queryValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { deliveryRequestBody } from './delivery-request.ts';

/** Deliveries of a page, unless the query has a `limit`. */
const defaultLimit = 20;
/** The most of a page. */
const maxLimit = 100;

/** Callbacks (webhooks), newest first; by job, user name and state. */
export const listDeliveries: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/deliveries',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'A page.', body: deliveryPageSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const query = readQuery(request);
    const found = await listInStore(context.db, { ...query, limit: query.limit + 1 });
    const data = found.slice(0, query.limit).map(deliveryBody);
    return pageBody({ data, hasMore: found.length > query.limit, idOf: ({ id }) => id });
  },
};

/** One callback (webhook) with its attempts. */
export const getDelivery: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/deliveries/:deliveryId',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['delivery_unknown'],
  answers: {
    200: { description: 'The delivery.', body: deliveryDetailSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ role }, request) => {
      const delivery = await findDelivery(context, idOfPath(request));
      return {
        ...deliveryBody(delivery),
        tries: (await listDeliveryAttempts(context.db, delivery.id)).map(deliveryAttemptBody),
        request: await deliveryRequestBody(context, delivery, role),
      };
    },
};

/** Sends a callback again, or a pending one before its time, with the same id and a new retry schedule. */
export const redeliver: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/deliveries/:deliveryId/redeliver',
  auth: 'admin',
  role: 'developer',
  errors: 'detail',
  refusals: ['delivery_unknown', 'delivery_superseded'],
  answers: {
    200: { description: 'The delivery, which is due.', body: deliverySchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const id = idOfPath(request);
      const redelivery = await redeliverInStore(context.db, id, { actor, now: context.clock.now() });
      if (redelivery === 'unknown') throw refuse('delivery_unknown');
      // Decisions 5: an unsent IN_PROGRESS is dropped once COMPLETED exists, and is not sent after it by hand
      // either.
      if (redelivery === 'refused') throw refuse('delivery_superseded');
      return deliveryBody(await findDelivery(context, id));
    },
};

/** Sends again every final event that failed since a time, such as after an outage of the receiver. */
export const redeliverFailed: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/deliveries/redeliver',
  auth: 'admin',
  role: 'developer',
  errors: 'detail',
  refusals: ['input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'How many are sent again.', body: redeliverySchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const failedSince = await readFailedSince(request);
      const by = { actor, now: context.clock.now() };
      return { object: 'redelivery', deliveries: await redeliverFailedInStore(context.db, failedSince, by) };
    },
};

/** A delivery in a list. */
export const deliveryBody = (delivery: ListedDelivery) => ({
  id: delivery.id,
  object: 'delivery',
  request_id: delivery.jobId,
  user: delivery.userName,
  status: delivery.status,
  url: withoutCallbackMark(delivery.url),
  state: delivery.state,
  // The name on the wire is older than the word "attempt".
  try_count: delivery.attempts,
  created_at: toUnixSeconds(delivery.createdAt),
  // A delivery that has ended keeps its last due time in the row, where it says nothing.
  due_at: delivery.state === 'waiting' ? toUnixSeconds(delivery.dueAt) : null,
  ended_at: delivery.endedAt === null ? null : toUnixSeconds(delivery.endedAt),
});

/** One attempt of a delivery. */
export const deliveryAttemptBody = ({ number, at, tookMs, code, answer }: DeliveryAttempt) => ({
  number,
  at: at / 1000,
  took_ms: tookMs,
  code,
  answer,
});

/** The id in the path; a malformed one is refused as unknown. */
export function idOfPath(request: FastifyRequest): DeliveryId {
  const id = parseDeliveryId(pathValue(request, 'deliveryId'));
  if (!id) throw refuse('delivery_unknown');
  return id;
}

/** The delivery with that id; throws the refusal of an unknown one. */
export async function findDelivery({ db }: HttpContext, id: DeliveryId): Promise<ListedDelivery> {
  const delivery = await readDelivery(db, id);
  if (!delivery) throw refuse('delivery_unknown');
  return delivery;
}

/** The filter and page of the list; throws a 422 that names the parameter. */
function readQuery(request: FastifyRequest): DeliveryQuery {
  for (const name of Object.keys(queryOf(request))) {
    if (queryValue(request, name) === undefined) refuseField(name, 'must be given once');
  }
  const limit = queryValue(request, 'limit') ?? String(defaultLimit);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxLimit) {
    refuseField('limit', `must be between 1 and ${maxLimit}`);
  }
  const state = queryValue(request, 'state') ?? null;
  if (state !== null && !isState(state)) refuseField('state', `must be one of ${deliveryStates.join(', ')}`);
  const job = queryValue(request, 'job');
  const after = queryValue(request, 'after');
  const user = queryValue(request, 'user') ?? null;
  // No user has such a name, and not every database accepts it in a query.
  if (user !== null && /\p{Cc}/u.test(user)) refuseField('user', 'must be without control characters');
  return {
    jobId: job === undefined ? null : (parseJobId(job) ?? refuseField('job', 'must be a request_id')),
    userName: user,
    state,
    after:
      after === undefined
        ? null
        : (parseDeliveryId(after) ?? refuseField('after', 'must be the id of a delivery')),
    limit: Number(limit),
  };
}

/** Whether a text names a state of deliveries. */
const isState = (text: string): text is DeliveryState => deliveryStates.some(state => state === text);

/** `failed_since` of the body, in epoch ms. */
async function readFailedSince(request: FastifyRequest): Promise<number> {
  const { failed_since: given } = await readAdminBody(request, ['failed_since']);
  const isGiven = typeof given === 'string' || typeof given === 'number';
  return (
    (isGiven ? parseTime(String(given)) : null) ??
    refuseField('failed_since', 'must be a time: ISO 8601 or Unix seconds')
  );
}
