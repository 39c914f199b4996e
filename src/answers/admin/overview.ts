/** The queue at this moment, and what needs an operator. */

import { z } from 'zod';
import { unixSecondsWithFraction } from '../values.ts';
import { accountSchema } from './account.ts';
import { jobLineSchema } from './job.ts';
import { costSchema } from './usage.ts';

/**
 * Counts are bounded, so that the page costs the same with a million waiting jobs: `waiting_is_more` says so.
 */
export const overviewSchema = z
  .object({
    object: z.literal('overview'),
    at: unixSecondsWithFraction,
    waiting: z.int(),
    waiting_is_more: z.boolean().describe('Whether more jobs wait than are counted.'),
    running: z.int(),
    waiting_since: unixSecondsWithFraction.nullable(),
    completed_in_hour: z.int(),
    failures: z.array(
      z.object({
        model: z.string(),
        code: z.string(),
        message: z.string(),
        jobs: z.int(),
        request_id: z.string(),
      }),
    ),
    open_doubts: z.int().describe('Uncertain submissions that are not resolved.'),
    failed_deliveries: z.int(),
    keys: z.int(),
    not_ready: z.string().nullable(),
    settings_faults: z
      .array(z.string())
      .describe('Why the last reload of the settings failed; empty where it did not.'),
    last_day: z
      .object({
        hours: z.array(
          z.object({
            at: unixSecondsWithFraction.describe('Start of the hour.'),
            completed: z.int(),
            failed: z.int(),
            cancelled: z.int(),
          }),
        ),
        run_p95_ms: z.number().nullable().describe('Null where no job completed.'),
        refused: z
          .object({
            last_hour: z.int(),
            is_spike: z.boolean().describe('At least 20, and three times what an hour usually has.'),
          })
          .describe('Refused requests, about those of the last 60 minutes.'),
        cost: costSchema.nullable().describe('By the prices of the settings; null where none apply.'),
      })
      .describe('24 whole hours and the present one, at most ten seconds old.'),
    accounts: z.array(accountSchema),
    results: z.array(jobLineSchema),
  })
  .meta({ id: 'AdminOverview', description: 'The first page of the console.' });

/** The first page of the console. */
export type Overview = z.infer<typeof overviewSchema>;
