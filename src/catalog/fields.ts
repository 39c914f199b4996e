/** The fields that input schemas of models are made of: bounds, error sentences, and hints for forms. */

import { z } from 'zod';
import type { FieldMeaning } from './field-meaning.ts';
import type { Widget } from './media.ts';

/** What is said of a field beside its bounds: hints for forms, and its meaning. */
export type Hints = {
  readonly title: string;
  readonly description?: string;
  readonly unit?: string;
  readonly widget?: Widget;
  readonly group?: string;
  /** Values to choose from, where any other may be written too. */
  readonly examples?: string[];
  /** The field that may be given instead; without it this one is required. */
  readonly requiredUnless?: string;
  /** What the field means to engines and capabilities; default: nothing. */
  readonly means?: readonly FieldMeaning[];
};

/** Length in Unicode code points, which the contract calls characters. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      count--;
      at++;
    }
  }
  return count;
}

/** Whether a text has at most so many characters. A text with more than twice as many UTF-16 units is not counted. */
export const hasAtMost = (text: string, characters: number): boolean =>
  text.length <= 2 * characters && countCharacters(text) <= characters;

/** Error sentences of a string field. */
export const mustBeText = {
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : 'must be a string'),
};

/** A string of at most `max` characters; null for no bound but that of the body. */
export function text(max: number | null, hints: Hints) {
  return z
    .string(mustBeText)
    .refine(value => max === null || hasAtMost(value, max), {
      error: `must be at most ${max} characters`,
    })
    .meta({ ...hints, ...(max !== null && { maxLength: max }) });
}

/** A required string: not empty, not blank; `max` as in `text`. */
export function requiredText(max: number | null, hints: Hints) {
  return z
    .string(mustBeText)
    .refine(value => value.trim() !== '', { error: 'must not be empty', abort: true })
    .refine(value => max === null || hasAtMost(value, max), {
      error: `must be at most ${max} characters`,
      abort: true,
    })
    .meta({ ...hints, minLength: 1, ...(max !== null && { maxLength: max }) });
}

/** A required string that is cut after `max` characters instead of refused; what is left must not be blank. */
export function cutText(max: number, hints: Hints) {
  return z
    .string(mustBeText)
    .overwrite(value => firstCharacters(value, max))
    .refine(value => value.trim() !== '', { error: 'must not be empty' })
    .meta({ ...hints, minLength: 1 });
}

/** Whole code points: a cut never splits a pair of surrogates. */
function firstCharacters(text: string, max: number): string {
  let at = 0;
  for (let count = 0; count < max && at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return text.slice(0, at);
}

/** A whole number, both ends included. */
export function integer(min: number, max: number, hints: Hints) {
  const error = `must be between ${min} and ${max}`;
  return (
    z
      // An integer beyond 2^53 fails here already, and is out of bounds.
      .int({
        error: ({ input }) =>
          input === undefined ? 'is required' : isWhole(input) ? error : 'must be an integer',
        abort: true,
      })
      .min(min, { error })
      .max(max, { error })
      .meta(hints)
  );
}

/** An integer of any size: JSON gives those beyond 2^53 as bigint. */
export const isWhole = (value: unknown): boolean => typeof value === 'bigint' || Number.isInteger(value);

/** A number, both ends included. */
export function number(min: number, max: number, hints: Hints) {
  const error = `must be between ${min} and ${max}`;
  return z
    .number({
      error: ({ input }) =>
        input === undefined ? 'is required' : typeof input === 'bigint' ? error : 'must be a number',
    })
    .min(min, { error })
    .max(max, { error })
    .meta(hints);
}

/** One string of a list. */
export function choice<const T extends readonly string[]>(words: T, hints: Hints) {
  return z
    .enum(words, {
      error: issue => (issue.input === undefined ? 'is required' : `must be one of ${words.join(', ')}`),
    })
    .meta(hints);
}

/** One number of a list. */
export function numberChoice<const T extends readonly number[]>(numbers: T, hints: Hints) {
  return z.literal(numbers, { error: `must be one of ${numbers.join(', ')}` }).meta(hints);
}

/** A boolean. */
export function flag(hints: Hints) {
  return z
    .boolean({ error: issue => (issue.input === undefined ? 'is required' : 'must be true or false') })
    .meta(hints);
}

/** A list with a bounded count. */
export function list<Item extends z.core.$ZodType>(item: Item, min: number, max: number, hints: Hints) {
  const items = max === 1 ? 'item' : 'items';
  const error =
    min === max
      ? `must have exactly ${min} ${items}`
      : min === 0
        ? `must have at most ${max} ${items}`
        : `must have ${min} to ${max} ${items}`;
  return (
    z
      .array(item, { error: issue => (issue.input === undefined ? 'is required' : 'must be an array') })
      // Also checked beside an invalid item, but not for a string, which has a length, too.
      .refine(({ length }) => length >= min && length <= max, {
        error,
        when: ({ value }) => Array.isArray(value),
      })
      .meta({ ...hints, ...(min > 0 && { minItems: min }), maxItems: max })
  );
}

/** A 64-bit integer: digits beyond 2^53 arrive as a bigint and keep them all. */
export function long(hints: Hints) {
  return z
    .custom<number | bigint>(
      value => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) || isLong(value),
      { error: issue => (issue.input === undefined ? 'is required' : 'must be a 64-bit integer') },
    )
    .meta({ ...hints, type: 'integer', format: 'int64', minimum: 0 });
}

/**
 * A whole number beyond what a double holds exactly, as the JSON reader keeps it: not negative, and below
 * 2^63.
 */
const isLong = (value: unknown): boolean => typeof value === 'bigint' && value >= 0n && value < 2n ** 63n;

/** Contract 2, conventions: the address that is notified on a change of status. */
export const callbackUrl = z
  .string({ error: 'must be a string' })
  .max(2048, { error: 'must be at most 2048 characters', abort: true })
  .refine(isWebAddress, { error: 'must be an http or https URL' })
  .meta({
    title: 'Callback address',
    description: 'Notified with POST when the status of the job changes.',
    format: 'uri',
    group: 'Delivery',
  })
  .optional();

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === ''
  );
}

/** Contract 2, conventions: the caller's id of a job, unique per user. Stored in a column, so no control characters. */
export const externalTaskId = z
  .string({ error: 'must be a string' })
  .refine(value => hasAtMost(value, 256) && value.trim() !== '' && !/\p{Cc}|\p{Cs}/u.test(value), {
    error: 'must be 1 to 256 characters without control characters',
  })
  .meta({
    title: 'Your task id',
    description: 'Looks up the job later; unique among your jobs.',
    minLength: 1,
    maxLength: 256,
    group: 'Delivery',
  })
  .optional();

/** Contract 2, conventions: also produce a watermarked result. */
export const watermarkInfo = z
  .strictObject(
    { enabled: flag({ title: 'Watermarked copy' }).default(false) },
    { error: 'must be an object' },
  )
  .meta({
    title: 'Watermark',
    description: 'Also produce a watermarked result.',
    group: 'Delivery',
    means: ['watermark'],
  })
  .optional();

/** A subject of an upstream's library, by id. */
export const element = z.strictObject(
  { element_id: long({ title: 'Element id' }) },
  { error: 'must be an object' },
);

/** A nested object; its members may have defaults. */
export function group<Shape extends z.core.$ZodLooseShape>(shape: Shape, hints: Hints) {
  return z
    .strictObject(shape, {
      error: issue => (issue.input === undefined ? 'is required' : 'must be an object'),
    })
    .meta(hints);
}
