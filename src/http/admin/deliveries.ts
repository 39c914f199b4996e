import type { FastifyRequest } from 'fastify';
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
import { type HttpContext, pathValue, queryOf, queryValue, type Route } from '../route.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { identifyOperator } from './identify-operator.ts';

const defaultLimit = 20;
const maxLimit = 100;

/** Callbacks, the newest first; by job, user name and state. */
export const listDeliveries = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/deliveries',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    const query = readQuery(request);
    const found = await listInStore(parts.db, { ...query, limit: query.limit + 1 });
    const data = found.slice(0, query.limit).map(deliveryBody);
    return {
      object: 'list',
      data,
      has_more: found.length > query.limit,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    };
  },
});

/** One callback with its tries. */
export const getDelivery = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/deliveries/:deliveryId',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    const id = idOfPath(request);
    const delivery = await findDelivery(parts, id);
    return {
      ...deliveryBody(delivery),
      tries: (await listDeliveryAttempts(parts.db, id)).map(deliveryAttemptBody),
    };
  },
});

/** Sends a callback again, under the same id and with its whole schedule before it. */
export const redeliver = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/deliveries/:deliveryId/redeliver',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request, 'developer');
    const id = idOfPath(request);
    const redelivery = await redeliverInStore(parts.db, id, parts.clock.now());
    if (redelivery === 'unknown') throw refuse('delivery_unknown');
    if (redelivery === 'refused') throw refuse('delivery_superseded');
    return deliveryBody(await findDelivery(parts, id));
  },
});

/** Sends again every final event that failed since a moment: an outage of the receiver's is over. */
export const redeliverFailed = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/deliveries/redeliver',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request, 'developer');
    const failedSince = await readFailedSince(request);
    const deliveries = await redeliverFailedInStore(parts.db, failedSince, parts.clock.now());
    return { object: 'redelivery', deliveries };
  },
});

export const deliveryBody = (delivery: ListedDelivery) => ({
  id: delivery.id,
  object: 'delivery',
  request_id: delivery.jobId,
  user: delivery.userName,
  status: delivery.status,
  url: delivery.url,
  state: delivery.state,
  try_count: delivery.tries,
  created_at: toUnixSeconds(delivery.createdAt),
  due_at: delivery.state === 'waiting' ? toUnixSeconds(delivery.dueAt) : null,
  ended_at: delivery.endedAt === null ? null : toUnixSeconds(delivery.endedAt),
});

export const deliveryAttemptBody = ({ number, at, tookMs, code, answer }: DeliveryAttempt) => ({
  number,
  at: toUnixSeconds(at),
  took_ms: tookMs,
  code,
  answer,
});

function idOfPath(request: FastifyRequest): DeliveryId {
  const id = parseDeliveryId(pathValue(request, 'deliveryId'));
  if (!id) throw refuse('delivery_unknown');
  return id;
}

async function findDelivery({ db }: HttpContext, id: DeliveryId): Promise<ListedDelivery> {
  const delivery = await readDelivery(db, id);
  if (!delivery) throw refuse('delivery_unknown');
  return delivery;
}

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
  // No user has such a name, and not every database can be asked for one.
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

const isState = (text: string): text is DeliveryState => deliveryStates.some(state => state === text);

async function readFailedSince(request: FastifyRequest): Promise<number> {
  const { failed_since: given } = await readAdminBody(request, ['failed_since']);
  const isTold = typeof given === 'string' || typeof given === 'number';
  return (
    (isTold ? parseTime(String(given)) : null) ??
    refuseField('failed_since', 'must be a time: ISO 8601 or Unix seconds')
  );
}
