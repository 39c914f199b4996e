/** The schemas of the answers at /openai/v1, as the published types of that protocol have them. */

import { z } from 'zod';
import { unixSeconds } from '../../../answers/values.ts';

/** An error, from which the packages make their classes by the status. */
export const openaiErrorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

/** A job as a video. `size` and `seconds` are those of the plan, of a completed one those of the file. */
export const videoSchema = z.object({
  id: z.string(),
  object: z.literal('video'),
  model: z.string(),
  status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
  progress: z.int().describe('Percent.'),
  created_at: unixSeconds,
  completed_at: unixSeconds.nullable(),
  expires_at: unixSeconds.nullable(),
  prompt: z.string().nullable(),
  seconds: z.string().nullable(),
  size: z.string().nullable(),
  remixed_from_video_id: z.null(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});

/** A page of videos. */
export const videoPageSchema = z.object({
  object: z.literal('list'),
  data: z.array(videoSchema),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

/** The answer to a deletion. */
export const videoDeletionSchema = z.object({
  id: z.string(),
  object: z.literal('video.deleted'),
  deleted: z.literal(true),
});

/** Pictures: an address of a day, or the bytes in base64. */
export const imagesSchema = z.object({
  created: unixSeconds,
  data: z.array(z.object({ url: z.url().exactOptional(), b64_json: z.string().exactOptional() })),
});

/** A model by the name under which it may be used. */
export const modelSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: unixSeconds,
  owned_by: z.string(),
});

/** All of them. */
export const modelListSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });
