/** A job as clients of Replicate read it: a prediction. */

import { z } from 'zod';
import { isFinal, type Job, type JobState } from '../domain/job.ts';
import { type JobBodyContext, readResultBody } from './job-bodies.ts';
import { anyObject, url } from './values.ts';

/** The words of that service for our states. */
const statuses: Readonly<Record<JobState, 'starting' | 'processing' | 'succeeded' | 'failed' | 'canceled'>> =
  {
    available: 'starting',
    running: 'processing',
    completed: 'succeeded',
    failed: 'failed',
    cancelled: 'canceled',
  };

const time = z.iso.datetime();

/** One prediction. `input` is as it was stored, in our words; `output` is an address, or a list of those of pictures. */
export const predictionSchema = z.object({
  id: z.string(),
  model: z.string().describe('`atelier/` and our id.'),
  version: z.literal('hidden').describe('As that service writes it of models without public versions.'),
  status: z.enum(['starting', 'processing', 'succeeded', 'failed', 'canceled']),
  input: anyObject,
  output: z.union([url, z.array(url.nullable())]).nullable(),
  error: z.string().nullable(),
  logs: z.literal(''),
  metrics: z.object({ predict_time: z.number() }).exactOptional().describe('Seconds.'),
  created_at: time,
  started_at: time.nullable(),
  completed_at: time.nullable(),
  source: z.literal('api'),
  data_removed: z.literal(false),
  urls: z.object({ get: url, cancel: url }),
});

/** A page of them, the newest first. */
export const predictionPageSchema = z.object({
  previous: z.null(),
  next: url.nullable(),
  results: z.array(predictionSchema),
});

/** The prediction of a job at this moment, with fresh addresses of its files. */
export async function readPrediction(context: Omit<JobBodyContext, 'positions'>, job: Job) {
  const base = `${context.publicUrl()}/replicate/v1/predictions/${job.id}`;
  const { startedAt, completedAt } = job;
  return {
    id: job.id,
    model: job.modelId.includes('/') ? job.modelId : `atelier/${job.modelId}`,
    version: 'hidden',
    status: statuses[job.state],
    input: job.input,
    output: job.state === 'completed' ? await outputOf(context, job) : null,
    error: job.error?.message ?? null,
    logs: '',
    ...(isFinal(job.state) &&
      startedAt !== null &&
      completedAt !== null && { metrics: { predict_time: (completedAt - startedAt) / 1000 } }),
    created_at: timeOf(job.createdAt),
    started_at: timeOf(startedAt),
    completed_at: timeOf(completedAt),
    source: 'api',
    data_removed: false,
    urls: { get: base, cancel: `${base}/cancel` },
  };
}

const timeOf = (epochMs: number | null): string | null =>
  epochMs === null ? null : new Date(epochMs).toISOString();

const addressed = z.object({ url: z.string().nullable() });
const result = z.object({
  video: addressed.optional(),
  audio: addressed.optional(),
  images: z.array(addressed).optional(),
});

/** The main files of a result. A file that was deleted since has no address. */
async function outputOf(context: Omit<JobBodyContext, 'positions'>, job: Job) {
  const { video, audio, images } = result.parse(await readResultBody(context, job));
  return images ? images.map(image => image.url) : ((video ?? audio)?.url ?? null);
}
