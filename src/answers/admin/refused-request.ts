/** Refused requests in groups: who, where, which sentence, and how often. */

import { z } from 'zod';
import { unixSeconds, unixSecondsWithFraction } from '../values.ts';

/** Requests that were refused with the same sentence, of one caller on one route. */
const refusalGroupSchema = z
  .object({
    status: z.int(),
    code: z.string().describe('The name of the refusal; `others` beyond the bound of groups of an hour.'),
    sentence: z.string().describe('Without what the client wrote.'),
    route: z.string(),
    caller: z.string().describe('The id of a key; without a valid one, the network of the address.'),
    key: z
      .object({ id: z.string(), name: z.string().nullable(), hint: z.string(), user: z.string() })
      .nullable()
      .describe('Null where the caller is no key.'),
    requests: z.int(),
    first_at: unixSecondsWithFraction,
    last_at: unixSecondsWithFraction,
    body_fields: z
      .array(z.string())
      .nullable()
      .describe('Names of the fields of one of the bodies, without values; null where no body was read.'),
  })
  .meta({ id: 'AdminRefusalGroup' });

/** The most frequent groups first. */
export const refusalListSchema = z
  .object({
    object: z.literal('list'),
    since: unixSeconds,
    data: z.array(refusalGroupSchema),
    has_more: z.boolean(),
  })
  .meta({ id: 'AdminRefusalList', description: 'Refused requests of the last days, in groups.' });

/** Requests that were refused alike. */
export type RefusalGroup = z.infer<typeof refusalGroupSchema>;
