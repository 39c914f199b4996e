/** Receivers of callbacks (webhooks) in the admin API: their health, a test event, the check of a signature. */

import type { FastifyRequest } from 'fastify';
import { endpointListSchema, signatureCheckSchema, webhookTestSchema } from '../../answers/admin/delivery.ts';
import { checkWebhook, type ReceivedWebhook } from '../../domain/check-webhook.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { type Endpoint, listEndpoints } from '../../store/callbacks/endpoints.ts';
import { recordTest } from '../../store/callbacks/record-test.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { findDelivery, idOfPath } from './deliveries.ts';

/** How the receivers of the newest callbacks are doing. */
export const listWebhookEndpoints: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/webhook-endpoints',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Hosts by user, the one with the newest callback first.', body: endpointListSchema },
  },
  docs: { undocumented: adminApi },
  open:
    ({ db }) =>
    async () => ({ object: 'list', data: (await listEndpoints(db)).map(endpointBody), has_more: false }),
};

/** A received callback is longer than other bodies of the admin API. */
const maxReceivedBytes = 256 * 1024;

/** Whether what a receiver got was signed by us: the headers and the body are pasted in. */
export const verifyDelivery: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/deliveries/:deliveryId/verify',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['delivery_unknown', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'The result, with a hint.', body: signatureCheckSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const delivery = await findDelivery(context, idOfPath(request));
    const received = await readReceived(request);
    const now = context.clock.now();
    const secrets = await context.callbackSecrets.read(delivery.userId, now);
    return { object: 'signature_check', ...checkWebhook(received, { secrets, sentId: delivery.id, now }) };
  },
};

/** One signed attempt at an address, with its answer. Audited: an address is called. */
export const testWebhook: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/webhook-tests',
  auth: 'admin',
  role: 'developer',
  errors: 'detail',
  refusals: ['input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'What the receiver answered.', body: webhookTestSchema },
  },
  docs: { undocumented: adminApi },
  open:
    ({ db, clock, sendTestEvent }) =>
    async ({ actor }, request) => {
      const given = await readAdminBody(request, ['url', 'user']);
      const address = URL.parse(readText('url', given.url)) ?? refuseField('url', 'must be an address');
      const test = { userName: readUserName(given.user), host: address.host };
      const userId = await recordTest(db, test, { actor, now: clock.now() });
      if (!userId) refuseField('user', 'there is no such user');
      const { id, body, tookMs, answer } = await sendTestEvent({ userId, url: address.href });
      const code = answer.kind === 'answered' ? answer.code : null;
      return { object: 'webhook_test', id, body, took_ms: tookMs, code, answer: answer.answer };
    },
};

const endpointBody = ({ lastFailure, ...endpoint }: Endpoint) => ({
  user: endpoint.userName,
  host: endpoint.host,
  delivered: endpoint.delivered,
  failed: endpoint.failed,
  pending: endpoint.pending,
  next_attempt_at: endpoint.nextAttemptAt === null ? null : toUnixSeconds(endpoint.nextAttemptAt),
  last_failure: lastFailure && { ...lastFailure, at: toUnixSeconds(lastFailure.at) },
});

/** The three headers and the body, as the receiver has them. */
async function readReceived(request: FastifyRequest): Promise<ReceivedWebhook> {
  const given = await readAdminBody(request, ['id', 'timestamp', 'signature', 'body'], maxReceivedBytes);
  return {
    id: readText('id', given.id).trim(),
    timestamp: readText('timestamp', given.timestamp).trim(),
    signature: readText('signature', given.signature).trim(),
    body: readText('body', given.body),
  };
}

/** Not every database accepts control characters in a query. */
function readUserName(value: unknown): string {
  const name = readText('user', value);
  return /\p{Cc}/u.test(name) ? refuseField('user', 'must be without control characters') : name;
}

/** A text that is not empty. */
function readText(name: string, value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : refuseField(name, 'must be a text');
}
