/** Schemas of the values that many bodies share. */

import { z } from 'zod';

/** Whole seconds, as the public protocol writes every time (Contract 2.2); rows and code have epoch ms. */
export const unixSeconds = z.int().describe('Unix time in seconds.');
/** Of the admin API, where milliseconds stand behind the point. */
export const unixSecondsWithFraction = z.number().describe('Unix time in seconds, with milliseconds.');
/** An absolute address. Those of jobs begin with the gateway's public one. */
export const url = z.url();
/** Operations, "Money": a text, because a number of JSON may lose digits. */
export const amount = z.string().describe('Decimal, two to six digits behind the point.');
/** An object of any members. */
export const anyObject = z.record(z.string(), z.unknown());

/** A page of a list: the newest first unless the request orders otherwise. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable().describe('What `after` takes for the next page.'),
    has_more: z.boolean(),
  });

/** A list that is not paged by ids. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ object: z.literal('list'), data: z.array(item), has_more: z.boolean() });
