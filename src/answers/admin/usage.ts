/** Usage, costs and durations over a period. */

import { z } from 'zod';
import { unixSeconds } from '../values.ts';

/** Percentiles in milliseconds. */
export const percentilesSchema = z.object({ p50: z.number(), p95: z.number() });
/** An amount by the prices of the settings. */
export const costSchema = z.object({ amount: z.number(), currency: z.string() });

/** `label` is what a person knows `name` by. */
const named = { name: z.string(), label: z.string() };
/** A day begins at midnight in UTC, whatever the time zone of the reader. */
const ofDay = { ...named, day: unixSeconds.describe('Start of the day in UTC.') };

/** Rows of `used` are apart by `basis`: what an upstream reported, and what this gateway computed. */
export const usageReportSchema = z
  .object({
    object: z.literal('usage'),
    by: z.enum(['model', 'key', 'user', 'project']),
    from: unixSeconds,
    to: unixSeconds,
    jobs: z.array(z.object({ ...ofDay, completed: z.int(), failed: z.int(), cancelled: z.int() })),
    used: z.array(z.object({ ...ofDay, unit: z.string(), basis: z.string(), quantity: z.number() })),
    costs: z
      .array(z.object({ ...ofDay, ...costSchema.shape }))
      .describe('Of models that have a price in the settings.'),
    speed: z.array(
      z.object({ ...named, jobs: z.int(), queue_ms: percentilesSchema, run_ms: percentilesSchema }),
    ),
    truncated: z.boolean().describe('More jobs ended than are counted: the newest are.'),
  })
  .meta({
    id: 'AdminUsage',
    description: 'What was made and used, by day and by model, key, user or project.',
  });

/** An amount by the prices of the settings. */
export type Cost = z.infer<typeof costSchema>;

/** What was made and used, by day and by model, key, user or project. */
export type UsageReport = z.infer<typeof usageReportSchema>;
