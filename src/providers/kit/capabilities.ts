/** Capabilities: what a job needs of an engine, and which field of the input asks for it. */

import type { ImagePlan, RenderPlan, SpeechPlan, VideoPlan } from '../../../engine/src/render-plan.ts';
import type { Faults } from '../../catalog/faults.ts';
import { basicCapabilities, type Capability, capabilities, valueAt } from '../../catalog/field-meaning.ts';
import type { Model } from '../../catalog/model.ts';

/** The faults of an input for an engine that can do this and no more, each at the field that asks for it. */
export function missingCapabilityFaults(model: Model, input: unknown, does: ReadonlySet<string>): Faults {
  const missing = [
    ...requiredCapabilities(model.render(input)),
    ...capabilitiesOutsidePlan(model, input),
  ].filter(name => !does.has(name));
  const paths = new Set(
    missing.flatMap(name => fieldOf(model, name, input) ?? lastMediumOfCustomModel(model, name, input)),
  );
  return [...paths].map(path => ({ path, reason: 'is not available here' }));
}

/** Capabilities that are a frame or a reference: any field with media may ask for them. */
const isMedium = (name: Capability): boolean =>
  /^(?:first_frame|last_frame|(?:image|video|audio)_\d)$/.test(name);

/** The field that asks for a capability, else the field of its name; null where the input has neither. */
function fieldOf(model: Model, name: Capability, input: unknown): string | null {
  const fields = model.fieldsFor(name);
  const others = isMedium(name) ? model.fieldsFor('media') : [];
  const candidates = fields.length > 0 ? fields : [name, ...others];
  return candidates.find(path => valueAt(input, path) !== undefined) ?? null;
}

/** Media of a custom model have any names: the last medium of the input is the one too many. */
function lastMediumOfCustomModel(
  { family, media }: Model,
  name: Capability,
  input: unknown,
): readonly string[] {
  if (family !== 'own' || basicCapabilities.some(basic => basic === name)) return [];
  const last = media(input).at(-1);
  return last ? [last.path.join('.')] : [];
}

/** The path for a fault about a medium of that name: the field that it would be in, or the name itself. */
export const fieldFor = (model: Model, name: string, input: unknown): string =>
  fieldOf(model, capabilities.find(known => known === name) ?? 'first_frame', input) ?? name;

/** Fields that no plan carries: the local engine has no library of subjects, and always reads numbers in words. */
function capabilitiesOutsidePlan(model: Model, input: unknown): readonly Capability[] {
  const valuesOf = (name: Capability) => model.fieldsFor(name).map(path => valueAt(input, path));
  return enabledCapabilities({
    elements: valuesOf('elements').some(value => Array.isArray(value) && value.length > 0),
    normalization: valuesOf('normalization').includes(true),
  });
}

/** By the render plan and not by the fields, of which two may mean one thing. */
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

/** In the order of the list of all capabilities, so that sentences are stable. */
const enabledCapabilities = (required: Partial<Record<Capability, boolean>>): readonly Capability[] =>
  capabilities.filter(name => required[name]);

/** What a video needs: its frames, its sound, its references and its shots. */
function videoCapabilities(plan: VideoPlan): readonly Capability[] {
  const { source, references = [] } = plan;
  return [
    ...enabledCapabilities({
      words: plan.shots.some(shot => shot.prompt !== ''),
      size: true,
      // An edited video, and a reference for motion, have their own length.
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

/** Parameters of a prompt that are capabilities themselves: negative prompt, seed and variants. */
const parametersCoveredElsewhere: readonly string[] = ['--no', '--seed', '--repeat', '--r'];

/** What a picture needs: the work on an earlier one, references and variants. */
function imageCapabilities({ work, variants = [], ...plan }: ImagePlan): readonly Capability[] {
  return [
    ...enabledCapabilities({
      words: plan.prompt !== '',
      size: true,
      negative_prompt: plan.negativePrompt !== undefined,
      seed: plan.seed !== null,
      // A follow-up always makes four pictures.
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

/** The kind of a medium. */
export type MediumKind = 'image' | 'video' | 'audio';

/** `image_1`, `image_2`, `video_1`: the names of references; each kind is counted separately. */
export const numberedNames = (kinds: readonly MediumKind[]): readonly string[] =>
  kinds.map((kind, place) => `${kind}_${kinds.slice(0, place + 1).filter(one => one === kind).length}`);

/** `image_1`, `image_2` and so on: an engine declares how many of a kind it takes. */
function numberedCapabilities(kinds: readonly MediumKind[]): readonly Capability[] {
  const names = numberedNames(kinds);
  return capabilities.filter(name => names.includes(name));
}

/** The defaults of the models: an engine may use its own values in their place. */
const speechDefaults = { sampleRates: [24_000, 32_000], bitrate: 128_000 };

/** What speech needs beyond words and a voice. */
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
