/** Capabilities: what a job needs of an engine, and which field of the input asks for it. */

import type { ImagePlan, RenderPlan, SpeechPlan, VideoPlan } from '../../../engine/src/render-plan.ts';
import type { Faults } from '../../catalog/faults.ts';
import type { Model } from '../../catalog/model.ts';

/** What every job asks for; an engine of fixed arguments may have no place for one of them. */
export const basicCapabilities = ['words', 'size', 'length', 'voice', 'format'] as const;

/**
 * What a job may ask of an engine beyond words, size and length. An engine of one's own is whatever its operator
 * loaded, so its route says which of these it does; a job that asks for another is refused.
 */
export const capabilities = [
  ...basicCapabilities,
  ...(['negative_prompt', 'seed', 'count', 'sound', 'sound_kind', 'voice_of_video', 'music'] as const),
  ...(['first_frame', 'last_frame', 'extend', 'edit', 'motion', 'feature', 'facing', 'keep_sound'] as const),
  ...([
    'guide_audio',
    'shots',
    'camera_fixed',
    'return_last_frame',
    'draft',
    'metadata',
    'watermark',
  ] as const),
  ...(['image_1', 'image_2', 'image_3', 'image_4', 'image_5', 'image_6', 'image_7', 'image_8'] as const),
  ...(['image_9', 'video_1', 'video_2', 'video_3', 'audio_1', 'audio_2', 'audio_3', 'elements'] as const),
  ...(['extend_picture', 'upscale', 'creative_upscale', 'repaint', 'parameters', 'variants'] as const),
  ...(['pauses', 'language', 'mix', 'speed', 'volume', 'pitch', 'emotion', 'pcm', 'sample_rate'] as const),
  ...(['bitrate', 'stereo', 'constant_bitrate', 'voice_modify', 'pronunciations', 'marker'] as const),
  ...(['subtitles', 'normalization'] as const),
] as const;
export type Capability = (typeof capabilities)[number];

/** Where a wish stands in the inputs of the families; what stands in none of an input's fields is no client's wish. */
const fieldsByCapability: Partial<Record<Capability, readonly string[]>> = {
  words: ['prompt', 'text', 'remixPrompt', 'content'],
  size: [
    ...['size', 'aspect_ratio', 'ratio', 'settings.aspect_ratio', 'resolution', 'quality', 'mode', 'scale'],
    ...['width', 'height'],
  ],
  length: ['duration', 'settings.duration', 'seconds'],
  voice: ['voice_setting.voice_id', 'voice_name', 'voice', 'voice_id'],
  format: ['audio_setting.format'],
  negative_prompt: ['negative_prompt', 'remixPrompt'],
  seed: ['seed', 'remixPrompt', 'content'],
  count: ['n', 'count'],
  sound: ['generate_audio', 'generate_audio_switch', 'sound', 'audio'],
  sound_kind: ['audio_type'],
  voice_of_video: ['voice_id'],
  music: ['bgm'],
  extend: ['video_url', 'video_creation_id'],
  motion: ['video_url'],
  edit: ['video_list'],
  feature: ['video_list'],
  facing: ['character_orientation'],
  keep_sound: ['keep_original_sound', 'video_list'],
  guide_audio: ['audio_url'],
  shots: ['multi_shot', 'shot_type', 'generate_multi_clip_switch', 'prompt'],
  metadata: ['meta_data'],
  watermark: ['watermark', 'watermark_info', 'options'],
  elements: ['element_list'],
  extend_picture: ['jobId'],
  upscale: ['jobId'],
  creative_upscale: ['type'],
  repaint: ['canvas'],
  parameters: ['remixPrompt'],
  variants: ['remixPrompt'],
  pauses: ['text'],
  language: ['language_boost'],
  mix: ['timbre_weights'],
  speed: ['voice_setting.speed', 'speed', 'text'],
  volume: ['voice_setting.vol', 'text'],
  pitch: ['voice_setting.pitch'],
  emotion: ['voice_setting.emotion', 'text'],
  pcm: ['audio_setting.format'],
  sample_rate: ['audio_setting.sample_rate'],
  bitrate: ['audio_setting.bitrate'],
  stereo: ['audio_setting.channel'],
  constant_bitrate: ['force_cbr'],
  pronunciations: ['pronunciation_dict'],
  marker: ['aigc_watermark'],
  subtitles: ['subtitle_enable'],
  normalization: ['text_normalization'],
};
/** Frames, references and videos stand in lists of several names. */
const mediaFields = ['content', 'image_list', 'images', 'subject_image_list', 'image', 'image_url'];

/** The faults of an input for an engine that does this and no more. */
export function missingCapabilityFaults(model: Model, input: unknown, does: ReadonlySet<string>): Faults {
  const asked = [...requiredCapabilities(model.render(input)), ...capabilitiesOutsidePlan(input)].filter(
    name => !does.has(name),
  );
  const paths = new Set(
    asked.flatMap(name => fieldOfCapability(name, input) ?? lastMediumOfCustomModel(model, name, input)),
  );
  return [...paths].map(path => ({ path, reason: 'is not available here' }));
}

/** The field that asks for it; null where none does. */
function fieldOfCapability(name: Capability, input: unknown): string | null {
  const fields = fieldsByCapability[name] ?? [name, ...mediaFields];
  return fields.find(path => valueAt(input, path) !== undefined) ?? null;
}

/** Media of an operator's model stand under names of his own; the last of them is one too many. */
function lastMediumOfCustomModel(
  { family, media }: Model,
  name: Capability,
  input: unknown,
): readonly string[] {
  if (family !== 'own' || basicCapabilities.some(basic => basic === name)) return [];
  const last = media(input).at(-1);
  return last ? [last.path.join('.')] : [];
}

/** The field that a medium of that name would stand in. */
export const fieldFor = (name: string, input: unknown): string =>
  fieldOfCapability(capabilities.find(known => known === name) ?? 'first_frame', input) ?? name;

const valueAt = (input: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
      input,
    );

/** Fields that no plan carries: the local engine has no library of subjects and reads numbers in words anyway. */
function capabilitiesOutsidePlan(input: unknown): readonly Capability[] {
  const elements = valueAt(input, 'element_list');
  return enabledCapabilities({
    elements: Array.isArray(elements) && elements.length > 0,
    normalization: valueAt(input, 'text_normalization') === true,
  });
}

function requiredCapabilities(plan: RenderPlan): readonly Capability[] {
  switch (plan.kind) {
    case 'video':
      return videoCapabilities(plan);
    case 'image':
      return imageCapabilities(plan);
    case 'speech':
      return speechCapabilities(plan);
  }
}

const enabledCapabilities = (asked: Partial<Record<Capability, boolean>>): readonly Capability[] =>
  capabilities.filter(name => asked[name]);

function videoCapabilities(plan: VideoPlan): readonly Capability[] {
  const { source, references = [] } = plan;
  return [
    ...enabledCapabilities({
      words: plan.shots.some(shot => shot.prompt !== ''),
      size: true,
      // A video that is changed, or moves another, gives its own.
      length: source?.use !== 'edit' && source?.use !== 'motion',
      negative_prompt: plan.negativePrompt !== undefined,
      seed: plan.seed !== null,
      sound: plan.sound && !(source && 'keepSound' in source && source.keepSound),
      keep_sound: source !== undefined && 'keepSound' in source && source.keepSound,
      sound_kind: plan.soundKind !== undefined && plan.soundKind !== 'all',
      voice_of_video: plan.voice !== undefined,
      music: plan.music === true,
      guide_audio: plan.guideAudio !== undefined,
      first_frame: plan.firstFrame !== undefined,
      last_frame: plan.lastFrame !== undefined,
      facing: source?.use === 'motion' && source.facing === 'frame',
      shots: plan.shots.length > 1,
      camera_fixed: plan.fixedCamera === true,
      return_last_frame: plan.returnLastFrame === true,
      draft: plan.draft === true,
      metadata: plan.metadata !== undefined,
      watermark: plan.watermark !== 'none',
    }),
    ...(source ? [source.use] : []),
    ...numberedCapabilities(references.map(({ kind }) => kind)),
  ];
}

/** Parameters of a prompt that are other wishes: what must not be seen, the seed, and the variants. */
const parametersCoveredElsewhere: readonly string[] = ['--no', '--seed', '--repeat', '--r'];

function imageCapabilities({ work, variants = [], ...plan }: ImagePlan): readonly Capability[] {
  return [
    ...enabledCapabilities({
      words: plan.prompt !== '',
      size: true,
      negative_prompt: plan.negativePrompt !== undefined,
      seed: plan.seed !== null,
      // A follow-up gives four pictures by itself.
      count: plan.count > 1 && plan.grid !== true,
      extend_picture: work?.kind === 'extend',
      upscale: work?.kind === 'upscale',
      creative_upscale: work?.kind === 'upscale' && work.creative,
      repaint: work?.kind === 'repaint',
      parameters: (plan.parameterNames ?? []).some(name => !parametersCoveredElsewhere.includes(name)),
      variants: variants.length > 1,
      watermark: plan.watermark !== 'none',
    }),
    ...numberedCapabilities(plan.references.map(() => 'image')),
  ];
}

export type MediumKind = 'image' | 'video' | 'audio';

/** `image_1`, `image_2`, `video_1`: each kind is counted by itself. */
export const numberedNames = (kinds: readonly MediumKind[]): readonly string[] =>
  kinds.map((kind, place) => `${kind}_${kinds.slice(0, place + 1).filter(one => one === kind).length}`);

function numberedCapabilities(kinds: readonly MediumKind[]): readonly Capability[] {
  const names = numberedNames(kinds);
  return capabilities.filter(name => names.includes(name));
}

/** Sound as the engine gives it stands for the values that the model has where nothing is said. */
const speechDefaults = { sampleRates: [24_000, 32_000], bitrate: 128_000 };

function speechCapabilities({ modify, ...plan }: SpeechPlan): readonly Capability[] {
  return enabledCapabilities({
    words: true,
    voice: true,
    format: true,
    pauses: plan.pieces.some(piece => 'pauseMs' in piece),
    language: plan.language !== null,
    mix: plan.voices.length > 1,
    speed: plan.speed !== 1,
    volume: plan.volume !== 1,
    pitch: plan.pitchSemitones !== 0,
    emotion: plan.emotion !== null,
    pcm: plan.format === 'pcm',
    sample_rate: !speechDefaults.sampleRates.includes(plan.sampleRate),
    bitrate: plan.format === 'mp3' && plan.bitrate !== speechDefaults.bitrate,
    stereo: plan.channels !== 1,
    constant_bitrate: plan.constantBitrate,
    voice_modify: Object.values(modify).some(value => value !== 0 && value !== null),
    pronunciations: plan.pronunciations.length > 0,
    marker: plan.marker,
    subtitles: plan.subtitles !== 'none',
  });
}
