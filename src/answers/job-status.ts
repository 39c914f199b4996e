/** The status of a job, the handle of a new one, and what a cancellation answers. */

import { z } from 'zod';
import { jobErrorSchema } from './job-error.ts';
import { costSchema, tagsSchema } from './money.ts';
import { anyObject, pageOf, unixSeconds, url } from './values.ts';

/** The three addresses of a job (Contract 2.1). Each needs the key of the job's user. */
const urls = { response_url: url, status_url: url, cancel_url: url };

/** The answer to every creation (Contract 2.1). It is sent after the job was flushed, never before. */
export const jobHandleSchema = z
  .object({
    request_id: z.string(),
    ...urls,
    queue_position: z.int().describe('0: next, or already starting.'),
  })
  .meta({ id: 'Handle', description: 'A new job: its id, its URLs and its place in the queue.' });

/** A line of `logs`: one event of the timeline. */
export const logLineSchema = z
  .object({
    timestamp: z.iso.datetime(),
    level: z.enum(['INFO', 'WARN', 'ERROR']),
    source: z.string(),
    message: z.string(),
  })
  .meta({ id: 'LogLine', description: 'One event of a job.' });

/**
 * Time from the start of the run until the upstream's result was there; waiting in the queue is not part of
 * it.
 */
export const metricsSchema = z
  .object({ inference_time: z.number().describe('Seconds.') })
  .meta({ id: 'Metrics', description: 'Figures of a finished job.' });

const logs = z.array(logLineSchema).nullable().describe('Null unless the request has `logs=1`.');

/** What an unfinished job has beside the keys of its model's family. */
const unfinished = {
  model: z.string(),
  external_task_id: z.string().exactOptional(),
  request_id: z.string(),
  ...urls,
  created_at: unixSeconds,
};

/** Also the state of a job that was requeued: clients do not see that it ran before. */
export const queuedStatusSchema = z
  .looseObject({
    status: z.literal('IN_QUEUE'),
    ...unfinished,
    queue_position: z.int().describe('0: next, or already starting.'),
  })
  .meta({
    id: 'QueuedStatus',
    description: 'A job that waits, with the keys that the users of its model’s family know of a task.',
  });

/** From the first claim until the outcome is stored; `progress` is as the upstream reports it. */
export const runningStatusSchema = z
  .looseObject({
    status: z.literal('IN_PROGRESS'),
    ...unfinished,
    logs,
    progress: z.number().min(0).max(1).exactOptional().describe('0 to 1; absent until it is known.'),
    started_at: unixSeconds.exactOptional(),
  })
  .meta({
    id: 'RunningStatus',
    description: 'A job that runs, with the keys that the users of its model’s family know of a task.',
  });

/** Final. Failure, cancellation and expiry are COMPLETED as well, with an `error` (Contract 3). */
export const completedStatusSchema = z
  .object({
    status: z.literal('COMPLETED'),
    request_id: z.string(),
    ...urls,
    logs,
    metrics: metricsSchema,
    error: jobErrorSchema.nullable().describe('Null where the job succeeded.'),
    error_type: z.string().exactOptional(),
    created_at: unixSeconds,
    started_at: unixSeconds.exactOptional(),
    completed_at: unixSeconds,
  })
  .meta({ id: 'CompletedStatus', description: 'A finished job; `error` tells failure from success.' });

/** By `status`. A reader needs no other member to know which of the three it has. */
export const jobStatusSchema = z
  .discriminatedUnion('status', [queuedStatusSchema, runningStatusSchema, completedStatusSchema])
  .meta({ id: 'Status', description: 'A job in one of its three states.' });

/** A job among those of every model: a finished one names its model, too. */
export const ownJobSchema = z
  .intersection(
    jobStatusSchema,
    z.object({
      model: z.string(),
      external_task_id: z.string().exactOptional(),
      tags: tagsSchema.exactOptional(),
      cost: costSchema.exactOptional(),
      input: anyObject.exactOptional().describe('As it was stored; only where one job is read.'),
    }),
  )
  .meta({ id: 'OwnJob', description: 'A job with its model and, where one job is read, its input.' });

/** The list of one model, which the user who created the jobs reads. */
export const jobStatusPageSchema = pageOf(jobStatusSchema).meta({
  id: 'StatusPage',
  description: 'Jobs of one model.',
});
/** The list of every model: a job names its model there, since the address does not. */
export const ownJobPageSchema = pageOf(ownJobSchema).meta({
  id: 'OwnJobPage',
  description: 'Jobs of every model.',
});

/**
 * `OK`: it was queued. `CANCELLATION_REQUESTED`: it runs and may still complete. `ALREADY_COMPLETED`: nothing
 * was done.
 */
export const cancellationSchema = z
  .object({
    status: z.enum(['OK', 'CANCELLATION_REQUESTED', 'ALREADY_COMPLETED']),
    request_id: z.string(),
  })
  .meta({ id: 'Cancellation', description: 'What a cancellation did.' });
