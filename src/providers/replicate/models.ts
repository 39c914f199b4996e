/** The models of Replicate by model id, and how inputs become the `input` of a prediction. */

import { z } from 'zod';
import { anyValue, defineMapping, type Mapping } from '../kit/mapping.ts';

/** What Replicate calls the models: `owner/name`. */
export const replicateModels = {
  'alpha-1-5-pro': 'bytedance/seedance-1.5-pro',
  'gamma-v2-6-motion-control': 'kwaivgi/kling-v2.6-motion-control',
  'delta-speech-02-hd': 'minimax/speech-02-hd',
} as const;

/** The `input` of a prediction. */
export type ReplicateInput = Readonly<Record<string, unknown>>;

const mustBeFalse = z.literal(false);
const mustBeEmpty = z.array(z.unknown()).max(0, { error: 'is not available here' }).optional();
const frame = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string() }),
  role: z.enum(['first_frame', 'last_frame', '']).optional(),
});
const words = z.strictObject({ type: z.literal('text'), text: z.string() });

/** Seedance 1.5 pro. */
const alphaPro = defineMapping(
  z.strictObject({
    content: z
      .array(z.discriminatedUnion('type', [words, frame]))
      .refine(content => content.some(({ type }) => type === 'text'), {
        error: 'a text item is required here',
      }),
    return_last_frame: mustBeFalse,
    service_tier: z.literal('default'),
    // Enforced by this gateway.
    execution_expires_after: z.int(),
    generate_audio: z.boolean(),
    draft: mustBeFalse,
    resolution: z.enum(['480p', '720p', '1080p']).optional(),
    ratio: z.enum(['16:9', '4:3', '1:1', '3:4', '9:16', '21:9']),
    duration: z.int().min(4),
    seed: z.int(),
    camera_fixed: z.boolean(),
    watermark: mustBeFalse,
  }),
  ({ content, generate_audio, resolution = '720p', ratio, duration, seed, camera_fixed }): ReplicateInput => {
    const urlOf = (wanted: (role: string | undefined) => boolean) =>
      content.flatMap(item => (item.type === 'image_url' && wanted(item.role) ? item.image_url.url : []))[0];
    const [first, last] = [urlOf(role => role !== 'last_frame'), urlOf(role => role === 'last_frame')];
    return {
      prompt: content.find(item => item.type === 'text')?.text,
      ...(first && { image: first }),
      ...(last && { last_frame_image: last }),
      duration,
      resolution,
      aspect_ratio: ratio,
      generate_audio,
      camera_fixed,
      ...(seed !== -1 && { seed }),
    };
  },
);

/** Kling 2.6 motion control. */
const motionControl = defineMapping(
  z.strictObject({
    image_url: z.string(),
    video_url: z.string(),
    prompt: z.string().optional(),
    character_orientation: z.enum(['image', 'video']),
    keep_original_sound: z.enum(['yes', 'no']),
    mode: z.enum(['std', 'pro']),
    watermark_info: z.strictObject({ enabled: mustBeFalse }).optional(),
  }),
  ({ image_url, video_url, prompt, character_orientation, keep_original_sound, mode }): ReplicateInput => ({
    image: image_url,
    video: video_url,
    ...(prompt && { prompt }),
    character_orientation,
    mode,
    keep_original_sound: keep_original_sound === 'yes',
  }),
);

/** MiniMax speech 02 HD. */
const delta = defineMapping(
  z.strictObject({
    text: z.string(),
    // Sound is fetched by address; the form for the client is this gateway's concern.
    output_format: z.enum(['url', 'hex']),
    voice_setting: z.strictObject({
      voice_id: z.string(),
      speed: z.number(),
      vol: z.number(),
      pitch: z.int(),
      emotion: z.string().default('auto'),
    }),
    timbre_weights: mustBeEmpty,
    audio_setting: z.strictObject({
      sample_rate: z.int(),
      bitrate: z.int(),
      format: z.enum(['mp3', 'wav', 'flac']),
      channel: z.literal([1, 2]),
    }),
    text_normalization: z.boolean(),
    latex_read: mustBeFalse,
    force_cbr: mustBeFalse,
    language_boost: z.string().nullable(),
    subtitle_enable: mustBeFalse,
    subtitle_type: anyValue,
    aigc_watermark: mustBeFalse,
  }),
  ({ text, voice_setting: voice, audio_setting: audio, ...input }): ReplicateInput => ({
    text,
    voice_id: voice.voice_id,
    speed: voice.speed,
    volume: voice.vol,
    pitch: voice.pitch,
    emotion: voice.emotion,
    english_normalization: input.text_normalization,
    sample_rate: audio.sample_rate,
    bitrate: audio.bitrate,
    audio_format: audio.format,
    channel: audio.channel === 1 ? 'mono' : 'stereo',
    language_boost: languageOf(input.language_boost),
    subtitle_enable: false,
  }),
);

/** The upstream's name of a language. */
const languageOf = (language: string | null): string =>
  language === null ? 'None' : language === 'auto' ? 'Automatic' : language;

/** The mappings by model id. */
export const replicateMappings: Readonly<Record<keyof typeof replicateModels, Mapping<ReplicateInput>>> = {
  'alpha-1-5-pro': alphaPro,
  'gamma-v2-6-motion-control': motionControl,
  'delta-speech-02-hd': delta,
};
