/** A job in the names that engines share, for self-hosted engines that know no model families. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ImagePlan, RenderPlan, SpeechPlan, VideoPlan } from '../../../engine/src/render-plan.ts';
import type { Faults } from '../../catalog/faults.ts';
import { type Capability, capabilities } from '../../catalog/field-meaning.ts';
import { models } from '../../catalog/index.ts';
import type { Model } from '../../catalog/model.ts';
import type { MediaFacts } from '../../domain/media.ts';
import type { ProviderTask } from '../../domain/provider.ts';
import { fieldFor, type MediumKind, missingCapabilityFaults, numberedNames } from './capabilities.ts';

/** Options of a route to a self-hosted engine; `doable` are the capabilities that its protocol can express. */
export const engineRouteOptions = <const Names extends readonly Capability[]>(doable: Names) => ({
  /** Capabilities of the loaded model beyond text, size and length. */
  does: z.array(z.enum(doable)).default([]),
  ...sharedEngineOptions,
});

/** Options of a route to any self-hosted engine. */
export const sharedEngineOptions = {
  /** Capabilities that clients may request although the engine lacks them: the operator's decision. */
  ignores: z.array(z.enum(capabilities)).default([]),
  /** Frames per second of the loaded model; with it, lengths are sent in frames. */
  fps: z.int().min(1).max(120).optional(),
  /** A length in frames is a multiple of this plus one: 4 for Wan, 8 for LTX. */
  frame_step: z.int().min(2).max(64).optional(),
  /** The client's voice → the engine's; a voice without an entry is sent as it is. */
  voices: z.record(z.string(), z.string()).default({}),
};

const engineOptionsSchema = z.object(sharedEngineOptions);
type EngineOptions = z.output<typeof engineOptionsSchema>;

/** One medium of a job. */
export interface EngineMedium {
  /** As it is written in the input. */
  readonly reference: string;
  /** The local file. */
  readonly path: string;
  readonly mimeType: string;
}

/** One value of a job. */
export type EngineValue = string | number | boolean;

/** A job as any engine understands it, whatever its model family. */
export interface EngineJob {
  readonly kind: 'video' | 'image' | 'speech';
  /** By the names of `valueNames`. */
  readonly values: Readonly<Record<string, EngineValue>>;
  /** By the names of `mediaNames`. */
  readonly media: Readonly<Record<string, EngineMedium>>;
}

/** The names of values, and below of media. A parameter whose name is also a capability provides it. */
export const valueNames = [
  ...(['prompt', 'negative_prompt', 'width', 'height', 'seconds', 'fps', 'frames', 'seed', 'count'] as const),
  ...(['sound', 'camera_fixed', 'creative_upscale', 'left', 'top', 'right', 'bottom'] as const),
  ...(['text', 'voice', 'speed', 'volume', 'pitch', 'emotion', 'language', 'format'] as const),
  ...(['sample_rate', 'bitrate'] as const),
] as const;
/** The names of media. */
export const mediaNames = [
  ...(['first_frame', 'last_frame', 'extend', 'edit', 'motion', 'feature', 'guide_audio'] as const),
  ...(['extend_picture', 'upscale'] as const),
  ...(['image_1', 'image_2', 'image_3', 'image_4', 'image_5', 'image_6', 'image_7', 'image_8'] as const),
  ...(['image_9', 'video_1', 'video_2', 'video_3', 'audio_1', 'audio_2', 'audio_3'] as const),
] as const;
/** A value or a medium of a job, as routes name it. */
export type ParameterName = (typeof valueNames)[number] | (typeof mediaNames)[number];

/** Every model but beta-edit, whose canvas and mask no parameter expresses. */
export const engineModels: Readonly<Record<string, string>> = Object.fromEntries(
  models.flatMap(({ id }) => (id === 'beta-edit' ? [] : [[id, '']])),
);

/** What the options of a route declare of its engine. */
export interface DeclaredCapabilities {
  /** Parameters that the engine takes. */
  readonly parameters: readonly ParameterName[];
  /** Further capabilities of the loaded model. */
  readonly does: readonly Capability[];
  /** Capabilities that are ignored instead of refused. */
  readonly ignores: readonly Capability[];
}

/** Fields of a custom model that no engine sees: a route there would drop their values. */
export const unmappedFieldFaults = ({ id, unmappedFields }: Model): Faults =>
  unmappedFields.map(field => ({
    path: 'account',
    reason: `field ${field} of ${id} is not mapped to any engine parameter`,
  }));

/** Capabilities that an input needs and the route does not declare, and media that the route needs and the input lacks. */
export function engineInputFaults(
  model: Model,
  input: unknown,
  { parameters, does, ignores }: DeclaredCapabilities,
): Faults {
  const given = namedMediaOf(model.render(input)).map(([name]) => name);
  const wanted = parameters.filter(name => isMediaName(name) && !given.includes(name));
  return [
    // An engine gets one prompt: the results of the others would be billed and never made.
    ...(model.billedJobs(input) > 1
      ? [
          {
            path: fieldFor(model, 'variants', input),
            reason: 'must make one job here: no {a,b} and no --repeat',
          },
        ]
      : []),
    ...missingCapabilityFaults(
      model,
      input,
      new Set<string>([...parameters, ...parameters.flatMap(basicCapabilitiesOf), ...does, ...ignores]),
    ),
    ...wanted.map(name => ({
      path: fieldFor(model, name, input),
      reason: `a medium that is its ${name} is required here`,
    })),
  ];
}

/** The basic capabilities that a parameter provides. */
const basicCapabilitiesOf = (name: ParameterName): readonly Capability[] =>
  basicCapabilitiesByParameter[name] ?? [];
const basicCapabilitiesByParameter: Partial<Record<ParameterName, readonly Capability[]>> = {
  prompt: ['words'],
  text: ['words'],
  width: ['size'],
  height: ['size'],
  left: ['size'],
  seconds: ['length'],
  frames: ['length'],
};

/** Media are uploaded or embedded; values are written as JSON. */
const isMediaName = (name: ParameterName): boolean => mediaNames.some(medium => medium === name);

/** The job of a task; `options` are those of its route. */
export function engineJobOf(model: Model, task: ProviderTask, options: unknown): EngineJob {
  const engineOptions = engineOptionsSchema.parse(options);
  const plan = model.render(task.job.input, path => task.facts[path] ?? null);
  const values = valuesOf(plan, engineOptions);
  return {
    kind: plan.kind,
    values: {
      ...(plan.kind !== 'speech' && { seed: seedOf(task) }),
      ...values,
      ...bordersOf(model, plan, task),
    },
    media: mediaOf(model, plan, task),
  };
}

/** Pixels by which a picture is extended on each side; none where it is not extended. */
function bordersOf(model: Model, plan: RenderPlan, task: ProviderTask): EngineJob['values'] {
  if (plan.kind !== 'image' || plan.work?.kind !== 'extend') return {};
  const { width, height } = factsOf(model, task, plan.work.media)?.image ?? plan;
  const [across, down] = [plan.width - width, plan.height - height];
  const [left, top] = [Math.floor(across / 2), Math.floor(down / 2)];
  return { left, top, right: across - left, bottom: down - top };
}

/** The seed of a job that requests none: derived from its id, so that a second attempt makes the same result. */
export const seedOf = ({ job }: ProviderTask): number =>
  createHash('sha256').update(job.id).digest().readUInt32BE(0) >>> 1;

/** Every value that a route may name, by the kind of the plan; what a job leaves out is undefined. */
function valuesOf(plan: RenderPlan, options: EngineOptions): EngineJob['values'] {
  switch (plan.kind) {
    case 'video':
      return videoValues(plan, options);
    case 'image':
      return imageValues(plan);
    case 'speech':
      return speechValues(plan, options);
  }
}

/** Lengths are given in seconds and in frames: engines count either way. */
function videoValues(
  { shots, width, height, sound, ...plan }: VideoPlan,
  { fps, frame_step }: EngineOptions,
) {
  const seconds = shots.reduce((sum, shot) => sum + shot.seconds, 0);
  const prompts = shots.map(shot => shot.prompt).filter((prompt, place, all) => prompt !== all[place - 1]);
  return {
    prompt: prompts.join('\n'),
    ...(plan.negativePrompt !== undefined && { negative_prompt: plan.negativePrompt }),
    width,
    height,
    seconds,
    ...(fps !== undefined && { fps, frames: framesOf(seconds * fps, frame_step) }),
    ...(plan.seed !== null && { seed: plan.seed }),
    sound,
    camera_fixed: plan.fixedCamera === true,
  };
}

/** Some engines make only 4n + 1 frames, or another step: the nearest such number. */
const framesOf = (wanted: number, step: number | undefined): number =>
  step === undefined ? Math.round(wanted) : Math.max(1, Math.round(wanted / step)) * step + 1;

/** Sizes in pixels; `count` is how many pictures of one prompt. */
function imageValues({ prompt, negativePrompt, width, height, count, seed, work }: ImagePlan) {
  return {
    creative_upscale: work?.kind === 'upscale' && work.creative,
    prompt,
    ...(negativePrompt !== undefined && { negative_prompt: negativePrompt }),
    width,
    height,
    count,
    ...(seed !== null && { seed }),
  };
}

/** Voices by the route's table, since engines name their own. */
function speechValues(plan: SpeechPlan, { voices }: EngineOptions) {
  const voice = plan.voices[0]?.id ?? '';
  return {
    text: plan.pieces.flatMap(piece => ('text' in piece ? piece.text : [])).join(' '),
    voice: voices[voice] ?? voice,
    speed: plan.speed,
    volume: plan.volume,
    pitch: plan.pitchSemitones,
    ...(plan.emotion !== null && { emotion: plan.emotion }),
    ...(plan.language !== null && { language: plan.language }),
    format: plan.format,
    sample_rate: plan.sampleRate,
    bitrate: plan.bitrate,
  };
}

/** References become local files that were probed. */
function mediaOf(model: Model, plan: RenderPlan, task: ProviderTask): EngineJob['media'] {
  return Object.fromEntries(
    namedMediaOf(plan).flatMap(([name, reference]) => {
      const path = task.media[reference];
      const mimeType = factsOf(model, task, reference)?.mimeType ?? 'application/octet-stream';
      return path === undefined ? [] : [[name, { reference, path, mimeType }]];
    }),
  );
}

function namedMediaOf(plan: RenderPlan): readonly (readonly [name: string, reference: string])[] {
  switch (plan.kind) {
    case 'video':
      return [
        ...(plan.firstFrame ? [['first_frame', plan.firstFrame.media] as const] : []),
        ...(plan.lastFrame ? [['last_frame', plan.lastFrame.media] as const] : []),
        ...(plan.source ? [[plan.source.use, plan.source.media] as const] : []),
        ...(plan.guideAudio ? [['guide_audio', plan.guideAudio.media] as const] : []),
        ...numberedMedia(plan.references ?? []),
      ];
    case 'image':
      return [
        ...(plan.work ? [[workNames[plan.work.kind], plan.work.media] as const] : []),
        ...numberedMedia(plan.references.map(({ media }) => ({ kind: 'image' as const, media }))),
      ];
    case 'speech':
      return [];
  }
}

const numberedMedia = (references: readonly { readonly kind: MediumKind; readonly media: string }[]) =>
  numberedNames(references.map(({ kind }) => kind)).map(
    (name, place) => [name, references[place]?.media ?? ''] as const,
  );

/** The names of the picture that a work starts from. */
const workNames = { repaint: 'repaint', extend: 'extend_picture', upscale: 'upscale' } as const;

/** The probed facts of a medium, by its reference in the input. */
function factsOf(model: Model, task: ProviderTask, reference: string): MediaFacts | null {
  const { input } = task.job;
  const places = [
    ...model.media(input).map(({ path, value }) => [value, path.join('.')] as const),
    ...model.references(input).map(({ id, path }) => [id, path] as const),
  ];
  const [, path = ''] = places.find(([named]) => named === reference) ?? [];
  return task.facts[path] ?? null;
}
