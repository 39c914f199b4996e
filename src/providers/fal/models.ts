/** The endpoints of fal by model id, and the mappings of the smaller families. */

import { z } from 'zod';
import { anyValue, defineMapping, type Mapping } from '../kit/mapping.ts';
import { alphaMini, alphaPro } from './alpha.ts';
import { type FalCall, mustBeFalse } from './call.ts';
import { gammaImage, gammaOmni, gammaTurbo, motionControl } from './gamma.ts';

/** fal's endpoints, up to the part that the input decides. */
export const falModels = {
  'alpha-2-0-mini': 'bytedance/seedance-2.0/mini',
  'alpha-1-5-pro': 'fal-ai/bytedance/seedance/v1.5/pro',
  'gamma-v2-6-motion-control': 'fal-ai/kling-video/v2.6',
  'gamma-v3-image': 'fal-ai/kling-image/v3',
  'gamma-v3-turbo-t2v': 'fal-ai/kling-video/v3/turbo',
  'gamma-v3-omni-video': 'fal-ai/kling-video/o3',
  'epsilon-q2-turbo-img2video': 'fal-ai/vidu/q2/image-to-video/turbo',
  'epsilon-q3-turbo-start-end2video': 'fal-ai/vidu/q3/image-to-video/turbo',
  'zeta-v6-i2v': 'fal-ai/pixverse/v6/image-to-video',
  'eta2.6-t2v': 'fal-ai/wan/v2.7/text-to-video',
  'delta-speech-02-hd': 'fal-ai/minimax/speech-02-hd',
  'theta-3.1-flash-tts-preview': 'fal-ai/gemini-3.1-flash-tts',
} as const;

/** Fields that the epsilon models share; `payload` is returned by this gateway. */
const epsilon = {
  prompt: z.string(),
  is_rec: mustBeFalse,
  resolution: z.enum(['540p', '720p', '1080p']),
  seed: z.int().optional(),
  watermark: mustBeFalse,
  // Without a watermark, its position and picture have no effect.
  wm_position: anyValue,
  wm_url: anyValue,
  payload: z.string().optional(),
};

const epsilonQ2 = defineMapping(
  z.strictObject({
    ...epsilon,
    prompt: z.string().max(3000),
    resolution: z.enum(['720p', '1080p']),
    images: z.tuple([z.string()]),
    audio: mustBeFalse,
    audio_type: anyValue,
    voice_id: anyValue,
    bgm: z.boolean(),
    duration: z.int().min(2).max(8),
  }),
  ({ images: [image_url], prompt, resolution, seed, bgm, duration }): FalCall => ({
    path: '',
    body: { prompt, image_url, resolution, bgm, duration, ...(seed && { seed }) },
  }),
);

const epsilonQ3 = defineMapping(
  z.strictObject({
    ...epsilon,
    prompt: z.string().max(2000),
    images: z.tuple([z.string(), z.string()]),
    audio: z.boolean(),
    duration: z.int(),
  }),
  ({ images: [image_url, end_image_url], prompt, resolution, seed, audio, duration }): FalCall => ({
    path: '',
    body: { prompt, image_url, end_image_url, resolution, audio, duration, ...(seed && { seed }) },
  }),
);

const zeta = defineMapping(
  z.strictObject({
    image: z.string(),
    prompt: z.string().refine(text => Buffer.byteLength(text) <= 2048, {
      error: 'must be at most 2048 bytes here',
    }),
    duration: z.int(),
    quality: z.enum(['360p', '540p', '720p', '1080p']),
    seed: z.int().optional(),
    generate_audio_switch: z.boolean(),
    generate_multi_clip_switch: z.boolean(),
  }),
  ({ image, quality, ...input }): FalCall => ({
    path: '',
    body: { ...input, image_url: image, resolution: quality },
  }),
);

/** The model names pixels, the endpoint a ratio and a resolution. */
const etaSizes = {
  ...{ '1280*720': '16:9', '720*1280': '9:16', '960*960': '1:1', '1088*832': '4:3', '832*1088': '3:4' },
  ...{ '1920*1080': '16:9', '1080*1920': '9:16', '1440*1440': '1:1', '1632*1248': '4:3', '1248*1632': '3:4' },
} as const;

const eta = defineMapping(
  z.strictObject({
    prompt: z.string(),
    negative_prompt: z.string().max(500).optional(),
    duration: z.literal([5, 10, 15]),
    size: z.enum(Object.keys(etaSizes) as (keyof typeof etaSizes)[]),
    audio_url: z.string().optional(),
    shot_type: z.enum(['single', 'multi']).optional(),
    prompt_extend: z.boolean(),
    seed: z.int().optional(),
    watermark: mustBeFalse,
  }),
  ({ prompt, negative_prompt, duration, size, audio_url, shot_type, prompt_extend, seed }): FalCall => ({
    path: '',
    body: {
      prompt,
      ...(negative_prompt && { negative_prompt }),
      duration: String(duration),
      aspect_ratio: etaSizes[size],
      resolution: Math.min(...size.split('*').map(Number)) < 1000 ? '720p' : '1080p',
      ...(audio_url && { audio_url }),
      multi_shots: shot_type === 'multi',
      enable_prompt_expansion: prompt_extend,
      ...(seed !== undefined && { seed }),
    },
  }),
);

const delta = defineMapping(
  z.strictObject({
    text: z.string().max(5000),
    // Sound is fetched by address; the form for the client is this gateway's concern.
    output_format: z.enum(['url', 'hex']),
    voice_setting: z.strictObject({
      voice_id: z.string(),
      speed: z.number(),
      vol: z.number(),
      pitch: z.int(),
      emotion: z.enum(['happy', 'sad', 'angry', 'fearful', 'disgusted', 'surprised']).optional(),
    }),
    timbre_weights: z.array(z.unknown()).max(0, { error: 'is not available here' }).optional(),
    audio_setting: z.strictObject({
      sample_rate: z.int(),
      bitrate: z.int(),
      format: z.enum(['mp3', 'flac']),
      channel: z.int(),
    }),
    text_normalization: z.boolean(),
    latex_read: mustBeFalse,
    force_cbr: mustBeFalse,
    language_boost: z
      .string()
      .refine(language => !['Persian', 'Filipino', 'Tamil'].includes(language))
      .nullable(),
    pronunciation_dict: z.strictObject({ tone: z.array(z.string()).optional() }).optional(),
    subtitle_enable: mustBeFalse,
    subtitle_type: anyValue,
    aigc_watermark: mustBeFalse,
  }),
  ({
    text,
    voice_setting,
    audio_setting,
    text_normalization,
    language_boost,
    pronunciation_dict,
  }): FalCall => ({
    path: '',
    body: {
      text,
      output_format: 'url',
      voice_setting: { ...voice_setting, english_normalization: text_normalization },
      audio_setting,
      ...(language_boost && { language_boost }),
      ...(pronunciation_dict?.tone && { pronunciation_dict: { tone_list: pronunciation_dict.tone } }),
    },
  }),
);

const theta = defineMapping(
  z.strictObject({ text: z.string(), voice_name: z.string() }),
  // Always WAV, as the contract requires.
  ({ text, voice_name }): FalCall => ({
    path: '',
    body: { prompt: text, voice: voice_name, output_format: 'wav' },
  }),
);

/** The mappings by model id. */
export const falMappings: Readonly<Record<keyof typeof falModels, Mapping<FalCall>>> = {
  'alpha-2-0-mini': alphaMini,
  'alpha-1-5-pro': alphaPro,
  'gamma-v2-6-motion-control': motionControl,
  'gamma-v3-image': gammaImage,
  'gamma-v3-turbo-t2v': gammaTurbo,
  'gamma-v3-omni-video': gammaOmni,
  'epsilon-q2-turbo-img2video': epsilonQ2,
  'epsilon-q3-turbo-start-end2video': epsilonQ3,
  'zeta-v6-i2v': zeta,
  'eta2.6-t2v': eta,
  'delta-speech-02-hd': delta,
  'theta-3.1-flash-tts-preview': theta,
};
