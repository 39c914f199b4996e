/** What a field of an input means to engines: said once in the field's `.meta({ means })`, and read from the schema here. */

import { z } from 'zod';

/** What every job needs; an engine of fixed arguments may lack one of them. */
export const basicCapabilities = ['words', 'size', 'length', 'voice', 'format'] as const;

/**
 * What a job may need of an engine. A self-hosted engine runs whatever its operator loaded, so its route declares which
 * of these it can do; a job that needs another is refused. The names are those of `does` and `ignores` in atelier.yaml.
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
/** One of them. */
export type Capability = (typeof capabilities)[number];

/**
 * What a field means: the capabilities that it asks for, and beside them `media` for a field with frames or references
 * of any number, `width` and `height` for one side of the size, `shot_words` for shots with a text each.
 */
export type FieldMeaning = Capability | 'media' | 'width' | 'height' | 'shot_words';

/** Paths of fields by what they mean, joined by dots. */
export type FieldsByMeaning = ReadonlyMap<FieldMeaning, readonly string[]>;

/**
 * The fields of a schema by meaning. A field that the client has to set stands before one with a default, because it
 * was given on purpose; else the order is that of the schema. Lists, and objects with a meaning of their own, are one
 * field.
 */
export function fieldsByMeaning(schema: z.ZodObject): FieldsByMeaning {
  const fields = fieldsOf(schema, []).toSorted((a, b) => Number(a.hasDefault) - Number(b.hasDefault));
  const meanings = new Set(fields.flatMap(({ means }) => means));
  return new Map(
    [...meanings].map(meaning => [
      meaning,
      fields.filter(({ means }) => means.includes(meaning)).map(({ path }) => path),
    ]),
  );
}

/** A field with its meanings. */
interface MeaningfulField {
  readonly path: string;
  readonly means: readonly FieldMeaning[];
  readonly hasDefault: boolean;
}

const fieldsOf = (
  { shape }: { readonly shape: z.core.$ZodShape },
  path: readonly string[],
): readonly MeaningfulField[] =>
  Object.entries(shape).flatMap(([name, member]) => fieldsAt(member, [...path, name], false));

/** The field at a path, below its wrappers, or the fields of the object that it is. */
function fieldsAt(
  schema: z.core.$ZodType,
  path: readonly string[],
  hasDefault: boolean,
): readonly MeaningfulField[] {
  const means = z.globalRegistry.get(schema)?.means;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const isDefault = hasDefault || def.type === 'default' || def.type === 'prefault';
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      if (means) return [{ path: path.join('.'), means, hasDefault: isDefault }];
      return fieldsAt(def.innerType, path, isDefault);
    default: {
      if (means) return [{ path: path.join('.'), means, hasDefault }];
      return def.type === 'object' ? fieldsOf(def, path) : [];
    }
  }
}

/** The value at a dotted path of an input; undefined where there is none. Own members only. */
export const valueAt = (input: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (at, name) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
      input,
    );
