/** How inputs of the gamma family are written for the Kling endpoints of fal. */

import { z } from 'zod';
import { normalizeShots } from '../../catalog/read-shots.ts';
import { defineMapping } from '../kit/mapping.ts';
import { type FalCall, noWatermark } from './call.ts';

/** `mode` as a part of the path. */
const tiers = { std: 'standard', pro: 'pro', '4k': '4k' } as const;

/** Kling 2.6 motion control. */
export const motionControl = defineMapping(
  z.strictObject({
    image_url: z.string(),
    video_url: z.string(),
    prompt: z.string().optional(),
    character_orientation: z.enum(['image', 'video']),
    keep_original_sound: z.enum(['yes', 'no']),
    mode: z.enum(['std', 'pro']),
    watermark_info: noWatermark,
  }),
  ({ mode, keep_original_sound, watermark_info: _, ...input }): FalCall => ({
    path: `${tiers[mode]}/motion-control`,
    body: { ...input, keep_original_sound: keep_original_sound === 'yes' },
  }),
);

/** Kling image 3. */
export const gammaImage = defineMapping(
  z
    .strictObject({
      prompt: z.string().max(2500),
      negative_prompt: z.string().optional(),
      image: z.string().optional(),
      n: z.int(),
      resolution: z.enum(['1k', '2k']),
      aspect_ratio: z.string(),
      watermark_info: noWatermark,
    })
    .refine(({ image, negative_prompt }) => image === undefined || !negative_prompt, {
      path: ['negative_prompt'],
      error: 'is not available here together with an image',
    }),
  ({ prompt, negative_prompt, image, n, resolution, aspect_ratio }): FalCall => ({
    path: image === undefined ? 'text-to-image' : 'image-to-image',
    body: {
      prompt,
      ...(negative_prompt && { negative_prompt }),
      ...(image !== undefined && { image_url: image }),
      num_images: n,
      resolution: resolution.toUpperCase(),
      aspect_ratio,
      output_format: 'png',
    },
  }),
);

/** Kling 3 turbo, text to video. */
export const gammaTurbo = defineMapping(
  z.strictObject({
    prompt: z.string().max(2500),
    settings: z.strictObject({
      resolution: z.enum(['720p', '1080p']),
      aspect_ratio: z.string(),
      duration: z.int(),
    }),
    options: z.strictObject({ watermark_info: noWatermark }).optional(),
  }),
  ({ prompt, settings: { resolution, aspect_ratio, duration } }): FalCall => ({
    path: `${resolution === '720p' ? 'standard' : 'pro'}/text-to-video`,
    body: { prompt: normalizeShots(prompt), aspect_ratio, duration: String(duration) },
  }),
);

/** A shot as the endpoint takes it (Contract 2.9). */
const shot = z.strictObject({ index: z.int(), prompt: z.string(), duration: z.string() });

/** References in a prompt have another syntax there, and videos have other endpoints: neither is translated. */
export const gammaOmni = defineMapping(
  z.strictObject({
    multi_shot: z.boolean(),
    shot_type: z.enum(['customize', 'intelligence']).optional(),
    prompt: z
      .string()
      .regex(/^(?!.*<<<)/s)
      .optional(),
    multi_prompt: z.array(shot).optional(),
    image_list: z
      .array(z.strictObject({ image_url: z.string(), type: z.enum(['first_frame', 'end_frame']) }))
      .optional(),
    element_list: z.array(z.unknown()).max(0, { error: 'is not available here' }).optional(),
    video_list: z.array(z.unknown()).max(0, { error: 'is not available here' }).optional(),
    sound: z.enum(['on', 'off']),
    mode: z.enum(['std', 'pro', '4k']),
    aspect_ratio: z.string().optional(),
    duration: z.union([z.string(), z.int()]),
    watermark_info: noWatermark,
  }),
  ({ multi_shot, shot_type, prompt, multi_prompt = [], image_list = [], ...input }): FalCall => {
    const urlOf = (type: string) => image_list.find(image => image.type === type)?.image_url;
    const [first, last] = [urlOf('first_frame'), urlOf('end_frame')];
    const shots = multi_prompt
      .toSorted((a, b) => a.index - b.index)
      .map(({ prompt, duration }) => ({ prompt, duration }));
    const ownShots = multi_shot && shot_type === 'customize';
    return {
      path: `${tiers[input.mode]}/${first ? 'image-to-video' : 'text-to-video'}`,
      body: {
        ...(ownShots ? { multi_prompt: shots, shot_type } : { prompt }),
        ...(multi_shot && !ownShots && { shot_type: 'intelligent' }),
        ...(first && { image_url: first }),
        ...(last && { end_image_url: last }),
        // The shape of a first frame is that of the video.
        ...(!first && input.aspect_ratio && { aspect_ratio: input.aspect_ratio }),
        duration: String(input.duration),
        generate_audio: input.sound === 'on',
      },
    };
  },
);
