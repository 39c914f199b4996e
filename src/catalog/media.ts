/** Media fields: how they are written, which bounds they have, and where they are in an input. */

import { z } from 'zod';
import type { FieldMeaning } from './field-meaning.ts';

/** How a media value may be written in a request. Stored files (`file_…`, `asset://file_…`, signed addresses) always may. */
export type MediaForm = 'url' | 'data-url' | 'raw-base64';

/** A range; `exclusive` where the contract says "strictly between" or "below". */
export interface Range {
  readonly min: number;
  /** Infinity: no upper bound; null in JSON. */
  readonly max: number;
  readonly exclusive?: true;
}

/** The limits of one media field, as data: admission enforces them, the console shows them, the docs print them. */
export interface MediaLimits {
  readonly kind: 'image' | 'video' | 'audio';
  readonly forms: readonly MediaForm[];
  /** MIME types. */
  readonly formats: readonly string[];
  /** Any other container is accepted, too, if it contains a video. */
  readonly otherFormats?: true;
  readonly maxBytes?: number;
  /** "under", not "at most". */
  readonly maxBytesExclusive?: true;
  /** Pixels, each of width and height. */
  readonly sides?: Range;
  /** Width divided by height. */
  readonly ratio?: Range;
  readonly seconds?: Range;
  readonly fps?: Range;
  /** Width times height. */
  readonly pixels?: Range;
}

/** How a form draws a field where its type does not say. */
export type Widget =
  | 'textarea'
  | 'seed'
  | 'voice'
  | 'size'
  | 'shots'
  | 'slider'
  | 'parameters'
  | 'job'
  | 'picture-number'
  | 'canvas'
  | 'placement'
  | 'mask';

declare module 'zod' {
  interface GlobalMeta {
    /** Present on a field whose value is a picture, a video or a sound. */
    media?: MediaLimits;
    /** Unit of a number, for people. */
    unit?: string;
    /** How a form draws the field where its type does not say. */
    widget?: Widget;
    /** Fields of one group stand together in a form. */
    group?: string;
    /** The path of the field that may be given instead of this one: without it, a rule requires this one. */
    requiredUnless?: string;
    /** What the field means to engines; not published. */
    means?: readonly FieldMeaning[];
  }
}

/** An upload of this gateway, with or without the scheme that some families write. */
const ownFile = /^(?:asset:\/\/)?file_[0-9A-Za-z]{24}$/;
/** What looks like a web address; whether it may be requested is decided when it is fetched. */
const webUrl = /^https?:\/\/\S+$/i;
/** Bytes in the input itself. */
const dataUrl = /^data:[a-z]+\/[a-z0-9.+-]+;base64,/;
/** White space in base64 is ignored (decisions 9). */
const base64Start = /^\s*(?:[A-Za-z0-9+/]\s*){16}/;

/** The form of a value; null where it has none of them. */
export function mediaFormOf(value: string): 'own' | 'asset' | MediaForm | null {
  if (ownFile.test(value)) return 'own';
  if (/^asset:\/\/\S+$/.test(value)) return 'asset';
  if (webUrl.test(value)) return 'url';
  if (dataUrl.test(value)) return 'data-url';
  return base64Start.test(value) ? 'raw-base64' : null;
}

/** The forms in error sentences. */
const formWords: Readonly<Record<MediaForm, string>> = {
  url: 'an http or https URL',
  'data-url': 'a data URL in base64',
  'raw-base64': 'base64 without a data: prefix',
};

/** A field for one medium. Admission probes its bytes; the schema checks how it is written. */
export function media(
  limits: MediaLimits,
  hints: {
    readonly title: string;
    readonly description?: string;
    readonly means?: readonly FieldMeaning[];
  },
) {
  const wanted = [...limits.forms.map(form => formWords[form]), 'a file id'].join(' or ');
  return z
    .string()
    .refine(
      value => {
        const form = mediaFormOf(value);
        // Admission resolves an asset that is not a stored file.
        return form === 'own' || form === 'asset' || (form !== null && limits.forms.includes(form));
      },
      { error: `must be ${wanted}` },
    )
    .meta({ ...hints, media: limits });
}

/** One medium of a request, and its path. */
export interface FoundMedia {
  readonly path: readonly (string | number)[];
  readonly value: string;
  readonly limits: MediaLimits;
}

/** Finds every media value of an input. */
export type MediaFinder = (input: unknown, path?: FoundMedia['path']) => readonly FoundMedia[];

/** Walks a schema once, so that an input is searched only where a medium may be. */
export const mediaFinder = (schema: z.core.$ZodType): MediaFinder => finderOf(schema) ?? (() => []);

/** Null where the schema has no media. */
function finderOf(schema: z.core.$ZodType): MediaFinder | null {
  const limits = z.globalRegistry.get(schema)?.media;
  if (limits)
    return (input, path = []) => (typeof input === 'string' ? [{ path, value: input, limits }] : []);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return finderInObject(def.shape);
    case 'array':
      return finderInArray(finderOf(def.element));
    case 'union':
      return finderInUnion(def.options);
    case 'optional':
    case 'default':
    case 'prefault':
    case 'nullable':
      return finderOf(def.innerType);
    case 'pipe':
      return finderOf(def.out);
    default:
      return null;
  }
}

function finderInObject(shape: z.core.$ZodShape): MediaFinder | null {
  const members = Object.entries(shape).flatMap(([key, member]) => {
    const find = finderOf(member);
    return find ? [{ key, find }] : [];
  });
  if (members.length === 0) return null;
  return (input, path = []) =>
    isRecord(input) ? members.flatMap(({ key, find }) => find(input[key], [...path, key])) : [];
}

const finderInArray = (find: MediaFinder | null): MediaFinder | null =>
  find &&
  ((input, path = []) =>
    Array.isArray(input) ? input.flatMap((item, index) => find(item, [...path, index])) : []);

/** Searches the option that parses the input. */
function finderInUnion(options: readonly z.core.$ZodType[]): MediaFinder | null {
  const finders = options.map(option => ({ option, find: finderOf(option) }));
  if (finders.every(({ find }) => find === null)) return null;
  return (input, path) =>
    finders.find(({ option }) => z.safeParse(option, input).success)?.find?.(input, path) ?? [];
}

/** A copy of the input in which one medium is written differently. */
export function replaceMedia(input: unknown, path: readonly (string | number)[], value: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(input))
    return input.map((item, index) => (index === key ? replaceMedia(item, rest, value) : item));
  if (isRecord(input)) return { ...input, [key]: replaceMedia(input[key], rest, value) };
  throw new Error(`expected an object or array at ${path.join('.')}`);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
