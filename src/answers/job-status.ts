/** The status of a job, the handle of a new one, and what a cancellation answers. */

import { z } from 'zod';
import { jobErrorSchema } from './job-error.ts';
import { costSchema, tagsSchema } from './money.ts';
import { anyObject, pageOf, unixSeconds, url } from './values.ts';

const urls = { response_url: url, status_url: url, cancel_url: url };

export const jobHandleSchema = z
  .object({
    request_id: z.string(),
    ...urls,
    queue_position: z.int().describe('0: next, or already starting.'),
  })
  .meta({ id: 'Handle', description: 'A new job: its id, its URLs and its place in the queue.' });

export const logLineSchema = z
  .object({
    timestamp: z.iso.datetime(),
    level: z.enum(['INFO', 'WARN', 'ERROR']),
    source: z.string(),
    message: z.string(),
  })
  .meta({ id: 'LogLine', description: 'One event of a job.' });

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

export const jobStatusPageSchema = pageOf(jobStatusSchema).meta({
  id: 'StatusPage',
  description: 'Jobs of one model.',
});
export const ownJobPageSchema = pageOf(ownJobSchema).meta({
  id: 'OwnJobPage',
  description: 'Jobs of every model.',
});

export const cancellationSchema = z
  .object({
    status: z.enum(['OK', 'CANCELLATION_REQUESTED', 'ALREADY_COMPLETED']),
    request_id: z.string(),
  })
  .meta({ id: 'Cancellation', description: 'What a cancellation did.' });
