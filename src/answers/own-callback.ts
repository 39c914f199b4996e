/** Callbacks (webhooks) of a user, as its keys read them. */

import { z } from 'zod';
import { pageOf, unixSeconds } from './values.ts';

/** `id` is sent as `webhook-id`, the same in every attempt. */
export const ownCallbackSchema = z
  .object({
    id: z.string(),
    object: z.literal('callback'),
    request_id: z.string(),
    model: z.string(),
    status: z.enum(['IN_PROGRESS', 'COMPLETED']),
    state: z
      .enum(['waiting', 'delivered', 'failed', 'superseded'])
      .describe('`superseded`: the COMPLETED of the job is sent in its place.'),
    created_at: unixSeconds,
  })
  .meta({ id: 'Callback', description: 'A callback (webhook) of one of your jobs.' });

/** The newest first. */
export const ownCallbackPageSchema = pageOf(ownCallbackSchema).meta({ id: 'CallbackPage' });

/** As the next attempt would send it. */
export const ownCallbackContentSchema = z
  .object({
    ...ownCallbackSchema.shape,
    body: z
      .string()
      .nullable()
      .describe('What an attempt would send at this moment; null where nothing is sent any more.'),
  })
  .meta({ id: 'CallbackContent', description: 'A callback (webhook) with its body.' });
