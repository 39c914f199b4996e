/** Callbacks (webhooks) to be delivered, with their attempts. */

import { z } from 'zod';
import { listOf, pageOf, unixSeconds, unixSecondsWithFraction } from '../values.ts';

/** Bodies of receivers are cut: enough to recognise an error page. */
export const deliveryAttemptSchema = z
  .object({
    number: z.int(),
    at: unixSecondsWithFraction,
    took_ms: z.number().nullable(),
    code: z.int().nullable().describe('HTTP status of the receiver; null where it gave none.'),
    answer: z.string().nullable().describe('First bytes of its answer, or why there was none.'),
  })
  .meta({ id: 'AdminDeliveryAttempt', description: 'One attempt of a delivery.' });

/**
 * `superseded`: the final status of the job is to be delivered in its place. `id` is sent as `webhook-id`,
 * the same in every attempt.
 */
export const deliverySchema = z
  .object({
    id: z.string(),
    object: z.literal('delivery'),
    request_id: z.string().nullable().describe('Null for an alert of a budget.'),
    user: z.string(),
    status: z.enum(['IN_PROGRESS', 'COMPLETED', 'BUDGET_ALERT']),
    url: z.string(),
    state: z.enum(['waiting', 'delivered', 'failed', 'superseded']),
    try_count: z.int(),
    created_at: unixSeconds,
    due_at: unixSeconds.nullable().describe('Of the next attempt; null once it has ended.'),
    ended_at: unixSeconds.nullable(),
  })
  .meta({ id: 'AdminDelivery', description: 'A callback (webhook) to be delivered.' });

/** What the next attempt, or a redelivery, sends: signed at this moment. */
export const deliveryRequestSchema = z
  .object({
    url: z.string(),
    headers: z
      .record(z.string(), z.string())
      .describe('Without the signature for a viewer, who may not send it again.'),
    body: z.string().nullable().describe('Null where it is too long to be shown.'),
    body_bytes: z.int().nullable(),
  })
  .meta({
    id: 'AdminDeliveryRequest',
    description: 'The request of a callback (webhook), as it is sent now.',
  });

/** `tries` are its attempts, in order; the name is that of the first release. */
export const deliveryDetailSchema = z
  .object({
    ...deliverySchema.shape,
    tries: z.array(deliveryAttemptSchema),
    request: deliveryRequestSchema.nullable().describe('Null where nothing is sent any more.'),
  })
  .meta({ id: 'AdminDeliveryDetail', description: 'A callback (webhook) with its attempts.' });

/** Paged by ids, like lists of the public protocol. */
export const deliveryPageSchema = pageOf(deliverySchema).meta({ id: 'AdminDeliveryPage' });

/** They are queued under their old ids, so that receivers recognise them. */
export const redeliverySchema = z
  .object({ object: z.literal('redelivery'), deliveries: z.int() })
  .meta({ id: 'AdminRedelivery', description: 'How many deliveries are sent again.' });

/** A receiver of callbacks, by the newest thousand of all users. */
export const endpointSchema = z
  .object({
    user: z.string(),
    host: z.string(),
    delivered: z.int(),
    failed: z.int(),
    pending: z.int(),
    next_attempt_at: unixSeconds.nullable(),
    last_failure: z
      .object({
        at: unixSeconds,
        code: z.int().nullable(),
        answer: z.string().describe('First bytes of the answer, or why there was none.'),
      })
      .nullable(),
  })
  .meta({ id: 'AdminWebhookEndpoint', description: 'How a receiver of callbacks (webhooks) is doing.' });

/** The one with the newest callback first. */
export const endpointListSchema = listOf(endpointSchema).meta({ id: 'AdminWebhookEndpointList' });

/** `previous`: by the secret that was rotated within the last day. */
export const signatureCheckSchema = z
  .object({
    object: z.literal('signature_check'),
    outcome: z.enum(['current', 'previous', 'invalid']),
    says: z.string().describe('A sentence for a person.'),
  })
  .meta({ id: 'AdminSignatureCheck', description: 'Whether a callback (webhook) is signed by its user.' });

/** `code` is null where the receiver gave no answer. */
export const webhookTestSchema = z
  .object({
    object: z.literal('webhook_test'),
    id: z.string().describe('Its webhook-id.'),
    body: z.string(),
    took_ms: z.number(),
    code: z.int().nullable(),
    answer: z.string().describe('First bytes of the answer, or why there was none.'),
  })
  .meta({ id: 'AdminWebhookTest', description: 'The answer to a test event.' });

/** A receiver of callbacks. */
export type Endpoint = z.infer<typeof endpointSchema>;

/** The check of a received callback. */
export type SignatureCheck = z.infer<typeof signatureCheckSchema>;

/** The answer to a test event. */
export type WebhookTest = z.infer<typeof webhookTestSchema>;

/** A callback (webhook) to be delivered. */
export type Delivery = z.infer<typeof deliverySchema>;

/** A callback (webhook) with its attempts. */
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;
