/** The model ids of Vidu, and how inputs of the epsilon family become its calls. */

import { z } from 'zod';
import { defineMapping, type Mapping } from '../kit/mapping.ts';

/** What Vidu calls the models. */
export const viduModels = {
  'epsilon-q2-turbo-extend': 'viduq2-turbo',
  'epsilon-q2-turbo-img2video': 'viduq2-turbo',
  'epsilon-q3-turbo-start-end2video': 'viduq3-turbo',
} as const;

/** One call: the path, and the body without the model and what it is found by. */
export interface ViduCall {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The client's payload is returned by this gateway; the key of the attempt is sent in its place, for lookups. */
const payload = z.string().optional();

const resolution = z.enum(['540p', '720p', '1080p']);
const metaData = z.string().optional();

/** The fields of an input that concern its watermark. */
interface WatermarkInput {
  readonly watermark: boolean;
  readonly wm_position: string | number;
  readonly wm_url?: string | undefined;
}

const watermarkSchema = {
  watermark: z.boolean(),
  // The upstream fetches the picture of a mark: only frames may be bytes in the body.
  wm_url: z
    .string()
    .regex(/^(?!data:)/, { error: 'must be an address that the upstream can reach' })
    .optional(),
};

/** The fields of a watermark; without one, position and picture are left out. */
const watermarkFields = ({ watermark, wm_position, wm_url }: WatermarkInput) => ({
  watermark,
  ...(watermark && { wm_position }),
  ...(watermark && wm_url !== undefined && { wm_url }),
});

const metadataFields = (label: string | undefined) => (label?.trim() ? { meta_data: label } : {});

/** The upstream draws a seed where it is left out or 0. */
const seedOf = (seed: number | undefined) => (seed ? { seed } : {});

/** Continues a video, named by its creation id or its address. */
const extend = defineMapping(
  z.strictObject({
    video_creation_id: z.string().min(1, { error: 'has no id at the upstream' }).optional(),
    video_url: z.string().optional(),
    images: z.array(z.string()).max(1).optional(),
    prompt: z.string().max(2000).optional(),
    resolution,
    duration: z.int(),
    ...watermarkSchema,
    wm_position: z.string(),
    meta_data: metaData,
    payload,
  }),
  ({ video_creation_id, video_url, images = [], prompt, resolution, duration, ...input }): ViduCall => ({
    path: '/ent/v2/extend',
    body: {
      ...(video_creation_id !== undefined && { video_creation_id }),
      ...(video_url !== undefined && { video_url }),
      ...(images.length > 0 && { images }),
      ...(prompt && { prompt }),
      resolution,
      duration,
      ...watermarkFields(input),
      ...metadataFields(input.meta_data),
    },
  }),
);

/** Video from a first frame. */
const img2video = defineMapping(
  z.strictObject({
    images: z.tuple([z.string()]),
    prompt: z.string().optional(),
    audio: z.boolean(),
    voice_id: z.string().optional(),
    audio_type: z.string(),
    is_rec: z.boolean(),
    bgm: z.boolean(),
    duration: z.int(),
    seed: z.int().optional(),
    resolution,
    ...watermarkSchema,
    wm_position: z.int(),
    payload,
  }),
  ({ images, prompt, audio, voice_id, audio_type, is_rec, bgm, duration, ...input }): ViduCall => ({
    path: '/ent/v2/img2video',
    body: {
      images,
      ...(prompt && { prompt }),
      audio,
      // Without sound neither has an effect.
      ...(audio && { audio_type }),
      ...(audio && voice_id && { voice_id }),
      is_rec,
      bgm,
      duration,
      ...seedOf(input.seed),
      resolution: input.resolution,
      ...watermarkFields(input),
    },
  }),
);

/** Video between two frames. */
const startEnd = defineMapping(
  z.strictObject({
    images: z.tuple([z.string(), z.string()]),
    prompt: z.string().optional(),
    is_rec: z.boolean(),
    duration: z.int(),
    seed: z.int().optional(),
    resolution,
    audio: z.boolean(),
    ...watermarkSchema,
    wm_position: z.int(),
    meta_data: metaData,
    payload,
  }),
  ({ images, prompt, is_rec, duration, seed, resolution, audio, ...input }): ViduCall => ({
    path: '/ent/v2/start-end2video',
    body: {
      images,
      ...(prompt && { prompt }),
      is_rec,
      duration,
      ...seedOf(seed),
      resolution,
      audio,
      ...watermarkFields(input),
      ...metadataFields(input.meta_data),
    },
  }),
);

/** The mappings by model id. */
export const viduMappings: Readonly<Record<keyof typeof viduModels, Mapping<ViduCall>>> = {
  'epsilon-q2-turbo-extend': extend,
  'epsilon-q2-turbo-img2video': img2video,
  'epsilon-q3-turbo-start-end2video': startEnd,
};
