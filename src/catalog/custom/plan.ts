/** The render plan of a custom model: which of its fields engines know, and by what meaning. */

import type { z } from 'zod';
import type { ImagePlan, RenderPlan, SpeechPlan, VideoPlan } from '../../../engine/src/render-plan.ts';
import type { Faults } from '../faults.ts';
import { type FieldMeaning, fieldsByMeaning, valueAt } from '../field-meaning.ts';
import type { FoundMedia } from '../media.ts';
import type { Kind } from '../model.ts';

/**
 * What the fields of a custom model mean, by their names: an operator's JSON Schema has no other word for it. Of several
 * fields with one meaning the first here is read.
 */
const meaningsByName: ReadonlyMap<string, readonly FieldMeaning[]> = new Map([
  ['prompt', ['words']],
  ['text', ['words']],
  ['negative_prompt', ['negative_prompt']],
  ['width', ['width', 'size']],
  ['height', ['height', 'size']],
  ['duration', ['length']],
  ['seconds', ['length']],
  ['n', ['count']],
  ['count', ['count']],
  ['seed', ['seed']],
  ['voice', ['voice']],
  ['voice_id', ['voice']],
  ['speed', ['speed']],
]);
/** Names of fields of custom models that hold text; `contents` may also be a list, as in bodies of Gemini. */
export const textFieldNames: readonly string[] = [
  ...[...meaningsByName].flatMap(([name, means]) => (means.includes('words') ? [name] : [])),
  'contents',
];

/** Names of fields whose media are frames or references. Media of any other name are read in their order. */
const mediaFieldNames = ['content', 'image_list', 'images', 'subject_image_list', 'image', 'image_url'];

/** The meanings that a render plan has a place for; `size` is set by width and height. */
type PlanMeaning = (typeof planMeanings)[Kind][number];
/** What the local engine draws from, by the kind of the model. */
const planMeanings = {
  video: ['words', 'negative_prompt', 'width', 'height', 'length', 'seed'],
  image: ['words', 'negative_prompt', 'width', 'height', 'count', 'seed'],
  speech: ['words', 'voice', 'speed'],
} as const satisfies Readonly<Record<Kind, readonly FieldMeaning[]>>;

/** What a top-level field means, for its `.meta()`; an empty list for a field that only the upstream knows. */
export function meaningsOf(name: string): readonly FieldMeaning[] {
  return meaningsByName.get(name) ?? (mediaFieldNames.includes(name) ? ['media'] : []);
}

/** Bounds of the built-in engine, within which it renders in reasonable time. */
const boundsByMeaning: Partial<Record<PlanMeaning, readonly [lower: number, upper: number]>> = {
  width: [64, 2048],
  height: [64, 2048],
  length: [1, 30],
  count: [1, 10],
  speed: [0.25, 4],
};

/** Whether a render plan of that kind has a place for a field; engines never see any other. */
export const isMappedField = (kind: Kind, name: string): boolean =>
  planMeanings[kind].some(meaning => meaningsByName.get(name)?.includes(meaning));

/** The fields of a custom model by meaning, in the order of `meaningsByName`. */
export type FieldReader = (meaning: PlanMeaning) => readonly string[];

/** Reads the fields of a schema by their `.meta({ means })`. */
export function openFieldReader(schema: z.ZodObject): FieldReader {
  const fields = fieldsByMeaning(schema);
  const names = [...meaningsByName.keys()];
  return meaning => (fields.get(meaning) ?? []).toSorted((a, b) => names.indexOf(a) - names.indexOf(b));
}

/** An input, with the fields that engines know. */
interface CustomInput {
  readonly input: unknown;
  readonly fieldsFor: FieldReader;
}

/** The render plan of an input: the values of the fields that engines know, and its media in order. */
export function planCustomModel(kind: Kind, given: CustomInput, media: readonly FoundMedia[]): RenderPlan {
  switch (kind) {
    case 'video':
      return videoOf(given, media);
    case 'image':
      return imageOf(given, media);
    case 'speech':
      return speechOf(given);
  }
}

/** What the built-in engine cannot render: sizes and lengths beyond its bounds, and speech without text. */
export function renderFaults(kind: Kind, given: CustomInput): Faults {
  const isSilent = kind === 'speech' && (textAt(given, 'words') ?? '').trim() === '';
  const missingText = { path: 'text', reason: 'is required here' };
  return [
    ...(isSilent ? [missingText] : []),
    ...planMeanings[kind].flatMap(meaning => outOfBoundsFaults(given, meaning)),
  ];
}

/** The fault of a value that the built-in engine cannot render. */
function outOfBoundsFaults(given: CustomInput, meaning: PlanMeaning): Faults {
  const bounds = boundsByMeaning[meaning];
  const value = numberAt(given, meaning);
  const name = given.fieldsFor(meaning).find(path => valueAt(given.input, path) === value);
  if (bounds === undefined || name === undefined || value === undefined) return [];
  const [lower, upper] = bounds;
  if (value >= lower && value <= upper) return [];
  return [{ path: name, reason: `must be between ${lower} and ${upper} here` }];
}

/** The first number among the fields with a meaning. */
const numberAt = ({ input, fieldsFor }: CustomInput, meaning: PlanMeaning): number | undefined =>
  fieldsFor(meaning)
    .map(path => valueAt(input, path))
    .find(value => typeof value === 'number');

/** The first text among the fields with a meaning. */
const textAt = ({ input, fieldsFor }: CustomInput, meaning: PlanMeaning): string | undefined =>
  fieldsFor(meaning)
    .map(path => valueAt(input, path))
    .find(value => typeof value === 'string');

const toEven = (side: number): number => 2 * Math.round(side / 2);

/** What plans of videos and pictures share; `usual` is the size without width and height. */
function commonPlanFields(input: CustomInput, usual: readonly [width: number, height: number]) {
  const negativePrompt = textAt(input, 'negative_prompt');
  return {
    width: toEven(numberAt(input, 'width') ?? usual[0]),
    height: toEven(numberAt(input, 'height') ?? usual[1]),
    ...(negativePrompt !== undefined && { negativePrompt }),
    seed: numberAt(input, 'seed') ?? null,
    watermark: 'none',
  } as const;
}

/** The first medium is the first frame if it is a picture; all others are references. */
function videoOf(input: CustomInput, media: readonly FoundMedia[]): VideoPlan {
  const [first, ...others] = media;
  const references = others.map(({ value, limits: { kind } }) => ({ kind, media: value }));
  const isFrame = first?.limits.kind === 'image';
  const all =
    isFrame || !first ? references : [{ kind: first.limits.kind, media: first.value }, ...references];
  return {
    kind: 'video',
    ...commonPlanFields(input, [1280, 720]),
    fps: 24,
    shots: [{ seconds: numberAt(input, 'length') ?? 5, prompt: textAt(input, 'words') ?? '' }],
    sound: false,
    ...(first && isFrame && { firstFrame: { media: first.value } }),
    ...(all.length > 0 && { references: all }),
  };
}

/** All pictures of the input are references. */
const imageOf = (input: CustomInput, media: readonly FoundMedia[]): ImagePlan => ({
  kind: 'image',
  ...commonPlanFields(input, [1024, 1024]),
  count: numberAt(input, 'count') ?? 1,
  prompt: textAt(input, 'words') ?? '',
  references: media
    .filter(({ limits }) => limits.kind === 'image')
    .map(({ value }) => ({ use: 'base', media: value })),
});

/** Speech with the defaults of the delta family. */
const speechOf = (input: CustomInput): SpeechPlan => ({
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
