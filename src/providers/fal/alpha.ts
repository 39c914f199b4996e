/** How inputs of the alpha family are written for the Seedance endpoints of fal. */

import { z } from 'zod';
import { type AlphaItem, textOf } from '../../catalog/models/alpha/alpha-shared.ts';
import { defineMapping } from '../kit/mapping.ts';
import { type FalCall, mustBeFalse } from './call.ts';

/** A medium of an item; sent as an address or a data URL. */
const address = z.strictObject({ url: z.string() });
const frame = z.strictObject({
  type: z.literal('image_url'),
  image_url: address,
  role: z.enum(['first_frame', 'last_frame', '']).optional(),
});
const words = z.strictObject({ type: z.literal('text'), text: z.string() });
const reference = z.discriminatedUnion('type', [
  words,
  frame.extend({ role: z.enum(['first_frame', 'last_frame', 'reference_image', '']).optional() }),
  z.strictObject({ type: z.literal('video_url'), video_url: address, role: z.string() }),
  z.strictObject({ type: z.literal('audio_url'), audio_url: address, role: z.string() }),
]);
/** The endpoints require a prompt, which the model does not. */
const hasText = (content: readonly { readonly type: string }[]) => content.some(item => item.type === 'text');
const textRequired = { error: 'a text item is required here' };

/** Seedance 2.0 mini. */
export const alphaMini = defineMapping(
  z.strictObject({
    content: z.array(reference).refine(hasText, textRequired),
    generate_audio: z.boolean(),
    resolution: z.enum(['480p', '720p']),
    ratio: z.string(),
    watermark: mustBeFalse,
    duration: z.int(),
  }),
  ({ content, generate_audio, resolution, ratio, duration }): FalCall => {
    const { path, body } = alphaContent(content);
    const length = duration === -1 ? 'auto' : String(duration);
    return {
      path,
      body: { ...body, aspect_ratio: toFalRatio(ratio), duration: length, generate_audio, resolution },
    };
  },
);

/** Seedance 1.5 pro. */
export const alphaPro = defineMapping(
  z.strictObject({
    content: z.array(z.discriminatedUnion('type', [words, frame])).refine(hasText, textRequired),
    return_last_frame: mustBeFalse,
    service_tier: z.literal('default'),
    // Enforced by this gateway.
    execution_expires_after: z.int(),
    generate_audio: z.boolean(),
    draft: mustBeFalse,
    resolution: z.enum(['480p', '720p', '1080p']).optional(),
    ratio: z.string(),
    duration: z.int().min(4),
    seed: z.int(),
    camera_fixed: z.boolean(),
    watermark: mustBeFalse,
  }),
  ({ content, generate_audio, resolution = '720p', ratio, duration, seed, camera_fixed }): FalCall => {
    const { path, body } = alphaContent(content);
    const length = String(duration);
    return {
      path,
      body: {
        ...body,
        aspect_ratio: toFalRatio(ratio),
        duration: length,
        generate_audio,
        resolution,
        seed,
        camera_fixed,
      },
    };
  },
);

/** The endpoint's word for the shape of the first frame. */
const toFalRatio = (ratio: string): string => (ratio === 'adaptive' ? 'auto' : ratio);

/** The list of items as the endpoint for words, for frames or for references takes it. */
function alphaContent(content: readonly AlphaItem[]): FalCall {
  const prompt = textOf(content);
  const urlsOf = (type: 'image_url' | 'video_url' | 'audio_url', wanted: (role: string) => boolean) =>
    content.flatMap(item => (item.type === type && wanted(item.role ?? '') ? (item[type]?.url ?? []) : []));
  const [first] = urlsOf('image_url', role => role === 'first_frame' || role === '');
  const [last] = urlsOf('image_url', role => role === 'last_frame');
  const references = {
    image_urls: urlsOf('image_url', role => role === 'reference_image'),
    video_urls: urlsOf('video_url', () => true),
    audio_urls: urlsOf('audio_url', () => true),
  };
  if (first) {
    const frames = { image_url: first, ...(last && { end_image_url: last }) };
    return { path: 'image-to-video', body: { prompt, ...frames } };
  }
  const named = Object.entries(references).filter(([, urls]) => urls.length > 0);
  return named.length > 0
    ? { path: 'reference-to-video', body: { prompt, ...Object.fromEntries(named) } }
    : { path: 'text-to-video', body: { prompt } };
}
