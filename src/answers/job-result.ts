/** The result of a job: the same for all models, beside the keys that the users of the model's family know. */

import { z } from 'zod';
import { jobErrorSchema } from './job-error.ts';
import { metricsSchema } from './job-status.ts';
import { costSchema, tagsSchema } from './money.ts';
import { unixSeconds, url } from './values.ts';

const fileUrl = url.nullable().describe('Signed for a day; null once the file was deleted.');

/** A file as the row has it; its address is signed when the result is read, so it is new each time. */
export const resultFileSchema = z
  .object({
    url: fileUrl,
    content_type: z.string(),
    file_name: z.string(),
    file_size: z.int().describe('Bytes.'),
  })
  .meta({ id: 'ResultFile', description: 'One file of a result. Its URL needs no key.' });

/** Pixels, as they were probed in the stored file. */
const sides = { width: z.int(), height: z.int() };
/** What every result begins with, of whatever kind. */
const head = {
  request_id: z.string(),
  status: z.literal('COMPLETED'),
  model: z.string(),
  external_task_id: z.string().exactOptional(),
  created_at: unixSeconds,
  started_at: unixSeconds.exactOptional(),
  completed_at: unixSeconds,
  metrics: metricsSchema,
  tags: tagsSchema.exactOptional(),
  cost: costSchema.exactOptional(),
};

/** `duration` and `fps` are probed in the stored file, and may differ from what the input requested. */
export const videoResultSchema = z
  .looseObject({
    ...head,
    error: z.null(),
    duration: z.number().describe('Seconds: the real duration of the video.'),
    video: z.intersection(resultFileSchema, z.object({ ...sides, duration: z.number(), fps: z.number() })),
    watermarked_url: fileUrl.exactOptional().describe('Where a watermarked copy was requested.'),
    last_frame: z
      .object({ url: fileUrl, content_type: z.string(), ...sides })
      .exactOptional()
      .describe('Where the last frame was requested.'),
  })
  .meta({ id: 'VideoResult', description: 'A finished video.' });

/** `index` counts from 0, in the order of the upstream. */
export const imageResultSchema = z
  .looseObject({
    ...head,
    error: z.null(),
    images: z.array(z.intersection(resultFileSchema, z.looseObject({ index: z.int(), ...sides }))),
  })
  .meta({ id: 'ImageResult', description: 'Finished images.' });

/** `sample_rate` is in Hz. Models that return sound as hex have it among their family's keys. */
export const speechResultSchema = z
  .looseObject({
    ...head,
    error: z.null(),
    audio: z.intersection(
      resultFileSchema,
      z.object({
        duration: z.number().describe('Seconds.'),
        sample_rate: z.int(),
        channels: z.int(),
      }),
    ),
  })
  .meta({ id: 'SpeechResult', description: 'Finished speech.' });

/** Its HTTP status is that of a success: the error is of the run, and not of the request. */
export const failedResultSchema = z
  .looseObject({ ...head, error: jobErrorSchema })
  .meta({ id: 'FailedResult', description: 'A job that failed, was cancelled or expired.' });

/** A union without a common tag: `error` and the member of its kind tell them apart. */
export const jobResultSchema = z
  .union([videoResultSchema, imageResultSchema, speechResultSchema, failedResultSchema])
  .meta({
    id: 'Result',
    description: 'The same for all models, beside the keys that the users of the model’s family know.',
  });
