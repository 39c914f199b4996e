/** The render plan of a custom model: which of its fields engines know, and by what meaning. */

import type { ImagePlan, RenderPlan, SpeechPlan, VideoPlan } from '../../../engine/src/render-plan.ts';
import type { Faults } from '../faults.ts';
import type { FoundMedia } from '../media.ts';
import type { Kind } from '../model.ts';
import { valueAt } from './rules.ts';

/** The names under which engines know a field of an operator's model, the usual one first. */
const fieldNames = {
  words: ['prompt', 'text'],
  negative: ['negative_prompt'],
  width: ['width'],
  height: ['height'],
  seconds: ['duration', 'seconds'],
  count: ['n', 'count'],
  seed: ['seed'],
  voice: ['voice', 'voice_id'],
  speed: ['speed'],
} as const;
type PlanField = keyof typeof fieldNames;

const planFieldsOf: Readonly<Record<Kind, readonly PlanField[]>> = {
  video: ['words', 'negative', 'width', 'height', 'seconds', 'seed'],
  image: ['words', 'negative', 'width', 'height', 'count', 'seed'],
  speech: ['words', 'voice', 'speed'],
};
/** What the engine of this machine draws in reasonable time. */
const upperBounds: Partial<Record<PlanField, number>> = {
  width: 2048,
  height: 2048,
  seconds: 30,
  count: 10,
  speed: 4,
};
const lowerBounds: Partial<Record<PlanField, number>> = {
  width: 64,
  height: 64,
  seconds: 1,
  count: 1,
  speed: 0.25,
};

/** Where engines know that field: null for one that they never hear of. */
export const isMappedField = (kind: Kind, field: string): boolean =>
  planFieldsOf[kind].some(part => fieldNames[part].some(name => name === field));

/** An input of an operator's model as engines read it: the fields that they know, and its media in order. */
export function planCustomModel(kind: Kind, input: unknown, media: readonly FoundMedia[]): RenderPlan {
  switch (kind) {
    case 'video':
      return videoOf(input, media);
    case 'image':
      return imageOf(input, media);
    case 'speech':
      return speechOf(input);
  }
}

/** What is larger or longer than the engine of this machine draws, and speech without words. */
export function renderFaults(kind: Kind, input: unknown): Faults {
  const isSilent = kind === 'speech' && (textAt(input, 'words') ?? '').trim() === '';
  const nothing = { path: 'text', reason: 'is required here' };
  return [
    ...(isSilent ? [nothing] : []),
    ...planFieldsOf[kind].flatMap(part => outOfBoundsFaults(part, input)),
  ];
}

function outOfBoundsFaults(part: PlanField, input: unknown): Faults {
  const [lower, upper, value] = [lowerBounds[part], upperBounds[part], numberAt(input, part)];
  const name = fieldNames[part].find(one => valueAt(input, one) === value);
  if (name === undefined || value === undefined || lower === undefined || upper === undefined) return [];
  if (value >= lower && value <= upper) return [];
  return [{ path: name, reason: `must be between ${lower} and ${upper} here` }];
}

const numberAt = (input: unknown, part: PlanField): number | undefined =>
  fieldNames[part].map(name => valueAt(input, name)).find(value => typeof value === 'number');

const textAt = (input: unknown, part: PlanField): string | undefined =>
  fieldNames[part].map(name => valueAt(input, name)).find(value => typeof value === 'string');

const toEven = (side: number): number => 2 * Math.round(side / 2);

function commonPlanFields(input: unknown, usual: readonly [width: number, height: number]) {
  const negativePrompt = textAt(input, 'negative');
  return {
    width: toEven(numberAt(input, 'width') ?? usual[0]),
    height: toEven(numberAt(input, 'height') ?? usual[1]),
    ...(negativePrompt !== undefined && { negativePrompt }),
    seed: numberAt(input, 'seed') ?? null,
    watermark: 'none',
  } as const;
}

function videoOf(input: unknown, media: readonly FoundMedia[]): VideoPlan {
  const [first, ...others] = media;
  const references = others.map(({ value, limits: { kind } }) => ({ kind, media: value }));
  const isFrame = first?.limits.kind === 'image';
  const all =
    isFrame || !first ? references : [{ kind: first.limits.kind, media: first.value }, ...references];
  return {
    kind: 'video',
    ...commonPlanFields(input, [1280, 720]),
    fps: 24,
    shots: [{ seconds: numberAt(input, 'seconds') ?? 5, prompt: textAt(input, 'words') ?? '' }],
    sound: false,
    ...(first && isFrame && { firstFrame: { media: first.value } }),
    ...(all.length > 0 && { references: all }),
  };
}

const imageOf = (input: unknown, media: readonly FoundMedia[]): ImagePlan => ({
  kind: 'image',
  ...commonPlanFields(input, [1024, 1024]),
  count: numberAt(input, 'count') ?? 1,
  prompt: textAt(input, 'words') ?? '',
  references: media
    .filter(({ limits }) => limits.kind === 'image')
    .map(({ value }) => ({ use: 'base', media: value })),
});

const speechOf = (input: unknown): SpeechPlan => ({
  kind: 'speech',
  pieces: [{ text: textAt(input, 'words') ?? '' }],
  language: null,
  voices: [{ id: textAt(input, 'voice') ?? 'usual', weight: 1 }],
  speed: numberAt(input, 'speed') ?? 1,
  volume: 1,
  pitchSemitones: 0,
  emotion: null,
  format: 'mp3',
  sampleRate: 32_000,
  channels: 1,
  bitrate: 128_000,
  constantBitrate: false,
  modify: { pitch: 0, intensity: 0, timbre: 0, effect: null },
  pronunciations: [],
  marker: false,
  subtitles: 'none',
});
