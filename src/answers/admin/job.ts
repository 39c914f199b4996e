/** Jobs of all users: the line of a list, the whole of one, and what actions on them answer. */

import { z } from 'zod';
import { jobErrorSchema } from '../job-error.ts';
import { unixSeconds, unixSecondsWithFraction } from '../values.ts';
import { auditLineSchema } from './audit.ts';
import { deliveryDetailSchema } from './delivery.ts';
import { costSchema } from './usage.ts';

/** Times of jobs have milliseconds here: operators compare attempts with the logs of upstreams. */
const at = unixSecondsWithFraction;

/**
 * Figures were probed when the file was stored; null where its medium has none. A deleted file keeps its
 * line.
 */
export const outputSchema = z
  .object({
    role: z.string().describe('`primary`, or what the file is beside the result, such as `last_frame`.'),
    index: z.int(),
    file_id: z.string(),
    file_name: z.string(),
    mime_type: z.string(),
    bytes: z.int(),
    url: z.string().describe('Relative to the gateway.'),
    expires_at: at,
    width: z.int().nullable(),
    height: z.int().nullable(),
    seconds: z.number().nullable(),
    fps: z.number().nullable(),
  })
  .meta({ id: 'AdminOutput', description: 'One file that a job produced.' });

/** The five states of a job; the public protocol has three. */
export const jobStateSchema = z.enum(['available', 'running', 'completed', 'failed', 'cancelled']);

/** Without the input, which may have megabytes: a list has only the start of the prompt. */
export const jobLineSchema = z
  .object({
    request_id: z.string(),
    object: z.literal('job'),
    model: z.string(),
    state: jobStateSchema,
    prompt_start: z.string().describe('First characters of the prompt; empty where the input has none.'),
    user: z.string(),
    project: z.string(),
    tags: z.record(z.string(), z.string()).nullable().describe('Names and values that its client gave it.'),
    key: z.object({ id: z.string(), name: z.string().nullable(), hint: z.string() }),
    account: z.string().nullable().describe('At a provider; null until a worker chose one.'),
    external_task_id: z.string().nullable(),
    progress: z.number().nullable().describe('0 to 1; null where the provider reports none.'),
    error: jobErrorSchema.nullable(),
    charged: z
      .object({ amount: z.string(), currency: z.string() })
      .nullable()
      .describe('What it cost, once it is settled; null without a price.'),
    cancel_requested: z.boolean(),
    created_at: at,
    started_at: at.nullable(),
    completed_at: at.nullable(),
    expires_at: unixSeconds.describe('When it ends as expired, unless it ends before.'),
    outputs: z.array(outputSchema),
  })
  .meta({ id: 'AdminJobLine', description: 'A job in a list.' });

/** `next_after` is opaque: what `after` of the next request takes; null on the last page. */
export const jobListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(jobLineSchema),
    has_more: z.boolean(),
    next_after: z.string().nullable(),
    indexing: z
      .boolean()
      .describe('Whether old jobs are still being indexed: a search by words misses some until then.'),
  })
  .meta({ id: 'AdminJobList' });

/**
 * `answer` is the certain outcome of the call (`accepted`, `done`, `refused`, `lost`), `unknown`, or null
 * while it is made.
 */
export const attemptSchema = z
  .object({
    number: z.int(),
    provider: z.string(),
    account: z.string(),
    started_at: at,
    answered_at: at.nullable(),
    answer: z.string().nullable(),
    error: z
      .looseObject({ code: z.string().exactOptional(), message: z.string().exactOptional() })
      .nullable(),
    call_count: z.int().describe('Calls under the same dedupe key.'),
    billable: z.boolean(),
    in_doubt: z.boolean().describe('Its outcome is unknown: an uncertain submission.'),
    exchange: z
      .object({
        method: z.string(),
        path: z.string().describe('Below the base of the account.'),
        request: z.string().nullable(),
        status: z.int().nullable().describe('Of HTTP; null without an answer.'),
        answer: z.string().describe('Its body, or why there is none.'),
      })
      .nullable()
      .describe('The call without secrets, cut after 4,096 characters; null where there was none by HTTP.'),
  })
  .meta({ id: 'AdminAttempt', description: 'One submission of a job to a provider.' });

/** What the job reserved, and what became of that. */
const holdSchema = z.object({
  state: z.enum(['open', 'uncertain', 'settled', 'released']),
  amount: z.string(),
  charged: z.string().nullable().describe('Null until it ends.'),
  currency: z.string(),
  price_version: z.string(),
});

/** Everything that is stored of a job. Secrets are not: a callback address is shown as its user wrote it. */
export const jobDetailSchema = z
  .object({
    ...jobLineSchema.shape,
    queue_position: z.int().nullable(),
    claims: z.int().describe('How often a worker claimed it.'),
    deaths: z.int().describe('Crashes of a process while it ran the job.'),
    due_at: at,
    callback_url: z.string().nullable(),
    inference_ms: z.number().nullable(),
    input: z.unknown(),
    result: z.unknown().describe('As its client reads it; null while there is none.'),
    attempts: z.array(attemptSchema),
    events: z.array(z.object({ at, level: z.string(), message: z.string() })),
    deliveries: z.array(deliveryDetailSchema),
    usage: z.array(z.object({ unit: z.string(), quantity: z.number(), basis: z.string() })),
    cost: costSchema.nullable().describe('Null where the model has no price.'),
    hold: holdSchema.nullable().describe('Null where it was created without one.'),
    audit: z.array(auditLineSchema),
  })
  .meta({ id: 'AdminJob', description: 'A job with everything that happened to it.' });

/** `unknown`: there is no such job, or it was pruned. */
export const jobCancellationSchema = z
  .object({
    object: z.literal('cancellation'),
    request_id: z.string(),
    outcome: z.enum(['cancelled', 'requested', 'already_final', 'unknown']),
  })
  .meta({ id: 'AdminCancellation', description: 'What the cancellation of one job did.' });

/**
 * Counts of this call alone. A call cancels a bounded number, so that no statement locks the queue for long.
 */
export const jobCancellationsSchema = z
  .object({
    object: z.literal('cancellation'),
    cancelled: z.int(),
    requested: z.int(),
    left: z.boolean().describe('Whether another call would cancel more.'),
  })
  .meta({ id: 'AdminCancellations', description: 'What the cancellation of many jobs did.' });

/** `again_of` is the job whose input was copied; it stays as it ended. */
export const rerunSchema = z
  .object({ object: z.literal('job'), request_id: z.string(), again_of: z.string() })
  .meta({ id: 'AdminRerun', description: 'A new job with the input of another.' });

/** The state of a row, which operators see and clients do not. */
export type JobState = z.infer<typeof jobStateSchema>;

/** One file that a job produced. */
export type Output = z.infer<typeof outputSchema>;

/** A job in a list. */
export type JobLine = z.infer<typeof jobLineSchema>;

/** A job with everything that happened to it. */
export type JobDetail = z.infer<typeof jobDetailSchema>;
