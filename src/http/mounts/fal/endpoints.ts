/**
 * The endpoints of fal that the fal provider has for our models, read the other way round: what their names say, and
 * how their inputs are written as ours. The names before these paths are the provider's own table.
 */

import type { JsonObject } from '../../../body/json-body.ts';
import { gather, listOf, numberOf, oneOf, type Translation, without } from '../kit/translate.ts';

/** One of our models as endpoints of that service. */
export interface FalEndpoint extends Translation {
  /** What stands behind the provider's name of the model, and what it says of the input. */
  readonly paths: Readonly<Record<string, JsonObject>>;
}

/** The endpoints write seconds as text, the models want a number. */
const duration = { to: 'duration', as: numberOf };
const yesOrNo = oneOf({ true: 'yes', false: 'no' });

/** The fields that become items of `content`. */
const alphaNames = ['prompt', 'image_url', 'end_image_url', 'image_urls', 'video_urls', 'audio_urls'];

/** The items of `content`, in the order text, frames, references. */
const alphaContent = (input: JsonObject): JsonObject =>
  gather(input, alphaNames, 'content', ({ prompt, image_url, end_image_url, ...members }) => {
    const items = (type: string, value: unknown, role: string) =>
      listOf(value).map(url => ({ type, [type]: { url }, role }));
    return [
      ...listOf(prompt).map(text => ({ type: 'text', text })),
      ...items('image_url', image_url, 'first_frame'),
      ...items('image_url', end_image_url, 'last_frame'),
      ...items('image_url', members.image_urls, 'reference_image'),
      ...items('video_url', members.video_urls, 'reference_video'),
      ...items('audio_url', members.audio_urls, 'reference_audio'),
    ];
  });

/**
 * Both models of the family: `auto` is the endpoints' word for "the model chooses" (Contract 2.1: adaptive, -1).
 */
const alpha: Translation = {
  prepare: alphaContent,
  words: {
    aspect_ratio: { to: 'ratio', as: oneOf({ auto: 'adaptive' }) },
    duration: { to: 'duration', as: value => (value === 'auto' ? -1 : numberOf(value)) },
  },
};

/** Pixels by shape and resolution, where the model names pixels. */
const etaSizes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '720p': { '16:9': '1280*720', '9:16': '720*1280', '1:1': '960*960', '4:3': '1088*832', '3:4': '832*1088' },
  '1080p': {
    ...{ '16:9': '1920*1080', '9:16': '1080*1920', '1:1': '1440*1440' },
    ...{ '4:3': '1632*1248', '3:4': '1248*1632' },
  },
};

/** `size` for the endpoint's two words; what they do not name goes on, and the model refuses it. */
function etaSize({ aspect_ratio, resolution, ...rest }: JsonObject): JsonObject {
  if (aspect_ratio === undefined && resolution === undefined) return rest;
  const size = etaSizes[String(resolution ?? '1080p')]?.[String(aspect_ratio ?? '16:9')];
  if (size !== undefined) return { ...rest, size };
  return { ...rest, size: `${String(aspect_ratio ?? '')} ${String(resolution ?? '')}`.trim() };
}

/** The frames of the list, and the shots with their numbers. */
function omniLists({ image_url, end_image_url, multi_prompt, shot_type, ...rest }: JsonObject): JsonObject {
  const frames = [
    ...listOf(image_url).map(url => ({ image_url: url, type: 'first_frame' })),
    ...listOf(end_image_url).map(url => ({ image_url: url, type: 'end_frame' })),
  ];
  const shots = listOf(multi_prompt).map((shot, index) =>
    typeof shot === 'object' && shot !== null ? { index: index + 1, ...shot } : shot,
  );
  return {
    ...rest,
    ...(frames.length > 0 && { image_list: frames }),
    ...(shots.length > 0 && { multi_prompt: shots, multi_shot: true }),
    ...(shots.length > 0 && { shot_type: shot_type ?? 'customize' }),
    ...(shots.length === 0 &&
      shot_type !== undefined && {
        shot_type: shot_type === 'intelligent' ? 'intelligence' : shot_type,
        multi_shot: true,
      }),
  };
}

/** The endpoints have the quality in their path, the models in a field. */
const tiers = { standard: { mode: 'std' }, pro: { mode: 'pro' } };
/** Paths of motion control, each with what it says of the input. */
const motion = Object.fromEntries(
  Object.entries(tiers).map(([tier, preset]) => [`${tier}/motion-control`, preset]),
);
/** Paths of gamma-v3-omni-video, which has a third quality. */
const omni = Object.fromEntries(
  Object.entries({ ...tiers, '4k': { mode: '4k' } }).flatMap(([tier, preset]) => [
    [`${tier}/text-to-video`, preset],
    [`${tier}/image-to-video`, preset],
  ]),
);

/** By the ids of our models. */
export const falEndpoints: Readonly<Record<string, FalEndpoint>> = {
  'alpha-2-0-mini': {
    paths: { 'text-to-video': {}, 'image-to-video': {}, 'reference-to-video': {} },
    ...alpha,
  },
  'alpha-1-5-pro': { paths: { 'text-to-video': {}, 'image-to-video': {} }, ...alpha },
  'gamma-v2-6-motion-control': {
    paths: motion,
    words: { keep_original_sound: { to: 'keep_original_sound', as: yesOrNo } },
  },
  'gamma-v3-image': {
    paths: { 'text-to-image': {}, 'image-to-image': {} },
    prepare: input => without(input, { output_format: 'png' }),
    words: {
      image_url: 'image',
      num_images: 'n',
      resolution: { to: 'resolution', as: oneOf({ '1K': '1k', '2K': '2k' }) },
    },
  },
  'gamma-v3-turbo-t2v': {
    paths: {
      'standard/text-to-video': { settings: { resolution: '720p' } },
      'pro/text-to-video': { settings: { resolution: '1080p' } },
    },
    words: { aspect_ratio: 'settings.aspect_ratio', duration: { to: 'settings.duration', as: numberOf } },
  },
  'gamma-v3-omni-video': {
    paths: omni,
    prepare: omniLists,
    words: { generate_audio: { to: 'sound', as: oneOf({ true: 'on', false: 'off' }) } },
  },
  'epsilon-q2-turbo-img2video': {
    paths: { '': {} },
    words: { image_url: { to: 'images', as: listOf }, duration },
  },
  'epsilon-q3-turbo-start-end2video': {
    paths: { '': {} },
    prepare: input =>
      gather(input, ['image_url', 'end_image_url'], 'images', ({ image_url, end_image_url }) => [
        ...listOf(image_url),
        ...listOf(end_image_url),
      ]),
    words: { duration },
  },
  'zeta-v6-i2v': { paths: { '': {} }, words: { image_url: 'image', resolution: 'quality', duration } },
  'eta2.6-t2v': {
    paths: { '': {} },
    prepare: etaSize,
    words: {
      duration,
      multi_shots: { to: 'shot_type', as: oneOf({ true: 'multi', false: 'single' }) },
      enable_prompt_expansion: 'prompt_extend',
    },
  },
  'delta-speech-02-hd': {
    paths: { '': {} },
    words: {
      voice_setting: { to: 'voice_setting', as: value => pick(value, 'english_normalization', false) },
      pronunciation_dict: { to: 'pronunciation_dict', as: value => rename(value, 'tone_list', 'tone') },
    },
    prepare: input => {
      const normalization = pick(input.voice_setting, 'english_normalization', true);
      return normalization === undefined ? input : { ...input, text_normalization: normalization };
    },
  },
  'theta-3.1-flash-tts-preview': {
    paths: { '': {} },
    prepare: input => without(input, { output_format: 'wav' }),
    words: { prompt: 'text', voice: 'voice_name' },
  },
};

/** A member of an object, or the object without it; what is no object goes on as it is. */
function pick(value: unknown, name: string, isMember: boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return isMember ? undefined : value;
  const { [name]: member, ...rest } = value as Record<string, unknown>;
  return isMember ? member : rest;
}

/** The same object with a member under another name. */
function rename(value: unknown, from: string, to: string): unknown {
  const member = pick(value, from, true);
  return member === undefined ? value : { ...(pick(value, from, false) as JsonObject), [to]: member };
}
