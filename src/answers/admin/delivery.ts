/** Callbacks (webhooks) to be delivered, with their attempts. */

import { z } from 'zod';
import { pageOf, unixSeconds, unixSecondsWithFraction } from '../values.ts';

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
    request_id: z.string(),
    user: z.string(),
    status: z.enum(['IN_PROGRESS', 'COMPLETED']),
    url: z.string(),
    state: z.enum(['waiting', 'delivered', 'failed', 'superseded']),
    try_count: z.int(),
    created_at: unixSeconds,
    due_at: unixSeconds.nullable().describe('Of the next attempt; null once it has ended.'),
    ended_at: unixSeconds.nullable(),
  })
  .meta({ id: 'AdminDelivery', description: 'A callback (webhook) to be delivered.' });

/** `tries` are its attempts, in order; the name is that of the first release. */
export const deliveryDetailSchema = z
  .object({ ...deliverySchema.shape, tries: z.array(deliveryAttemptSchema) })
  .meta({ id: 'AdminDeliveryDetail', description: 'A callback (webhook) with its attempts.' });

/** Paged by ids, like lists of the public protocol. */
export const deliveryPageSchema = pageOf(deliverySchema).meta({ id: 'AdminDeliveryPage' });

/** They are queued under their old ids, so that receivers recognise them. */
export const redeliverySchema = z
  .object({ object: z.literal('redelivery'), deliveries: z.int() })
  .meta({ id: 'AdminRedelivery', description: 'How many deliveries are sent again.' });

/** A callback (webhook) to be delivered. */
export type Delivery = z.infer<typeof deliverySchema>;

/** A callback (webhook) with its attempts. */
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;
