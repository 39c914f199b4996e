/** Builds the fields of a custom model from the properties of the operator's JSON Schema. */

import { z } from 'zod';
import type { Faults } from '../faults.ts';
import type { FieldMeaning } from '../field-meaning.ts';
import { countCharacters, flag, group, type Hints, hasAtMost, isWhole, list, mustBeText } from '../fields.ts';
import { type MediaLimits, media, type Range } from '../media.ts';
import { openPattern } from './pattern.ts';
import type {
  FlagProperty,
  MediumSettings,
  Members,
  NumberProperty,
  Property,
  TextProperty,
} from './schema.ts';

/** The fields of an object, by name. */
export type Shape = Readonly<Record<string, z.ZodType>>;

/** The fields of an object, with the usual error sentences; and the defaults that their own property refuses. */
export function fieldsOf(
  { properties, required }: Members,
  meaningsOf: (name: string) => readonly FieldMeaning[] = () => [],
): {
  readonly shape: Shape;
  readonly faults: Faults;
} {
  // A field with a default is optional to clients; a default that its own property refuses is the operator's
  // fault.
  const made = Object.entries(properties).map(([name, property]) => {
    const { field, faults } = fieldOf(name, property, meaningsOf(name));
    const path = `properties.${name}`;
    const { default: usual } = property;
    if (usual === undefined)
      return {
        name,
        field: required.includes(name) ? field : field.optional(),
        faults: prefixPaths(path, faults),
      };
    const wrong = field
      .safeParse(usual)
      .error?.issues.map(issue => ({ path: ['default', ...issue.path].join('.'), reason: issue.message }));
    // Prefault, so that the defaults of an object's members are filled in, too.
    return { name, field: field.prefault(usual), faults: prefixPaths(path, [...faults, ...(wrong ?? [])]) };
  });
  return {
    shape: Object.fromEntries(made.map(({ name, field }) => [name, field])),
    faults: made.flatMap(({ faults }) => faults),
  };
}

/** A field, and what is wrong with the defaults in its property. */
interface BuiltField {
  readonly field: z.ZodType;
  readonly faults: Faults;
}

/** The faults of a part as faults of the whole, so that each names its place in the schema. */
const prefixPaths = (path: string, faults: Faults): Faults =>
  faults.map(fault => ({ ...fault, path: `${path}.${fault.path}` }));

/** The field of one property. */
function fieldOf(name: string, property: Property, means: readonly FieldMeaning[] = []): BuiltField {
  const hints = { ...hintsOf(name, property), ...(means.length > 0 && { means }) };
  // Only lists and groups have members whose defaults can be wrong.
  const alone = (field: z.ZodType): BuiltField => ({ field, faults: [] });
  switch (property.type) {
    case 'string':
      return alone(property.media ? media(limitsOf(property.media), hints) : textField(property, hints));
    case 'integer':
    case 'number':
      return alone(numberField(property, hints));
    case 'boolean':
      return alone(flagField(property, hints));
    case 'array': {
      const { field, faults } = fieldOf(name, property.items);
      const { minItems, maxItems } = property;
      return { field: list(field, minItems, maxItems, hints), faults: prefixPaths('items', faults) };
    }
    case 'object': {
      const { shape, faults } = fieldsOf(property);
      return { field: group(shape, hints), faults };
    }
  }
}

/** A form needs a title for every field: where none is given, it is the name in words. */
function hintsOf(name: string, { title, description, unit, group, widget }: Property): Hints {
  const words = name.replaceAll('_', ' ');
  return {
    title: title ?? words.charAt(0).toUpperCase() + words.slice(1),
    ...(description !== undefined && { description }),
    ...(unit !== undefined && { unit }),
    ...(group !== undefined && { group }),
    ...(widget !== undefined && { widget }),
  };
}

/** The error sentences of a field with named values. */
const oneOf = (values: readonly (string | number | boolean)[]) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined
      ? 'is required'
      : values.length === 1
        ? `must be ${values[0]}`
        : `must be one of ${values.join(', ')}`,
});

/** The values that `const` or `enum` allows; null where neither is given. */
function allowedValuesOf<Value>(property: {
  readonly enum?: Value[] | undefined;
  readonly const?: Value | undefined;
}): readonly Value[] | null {
  if (property.const !== undefined) return [property.const];
  return property.enum ?? null;
}

/** A string with its bounds and its pattern, checked in this order. */
function textField(property: TextProperty, hints: Hints): z.ZodType {
  const named = allowedValuesOf(property);
  if (named) return z.enum(named, oneOf(named)).meta(hints);
  const { minLength = 0, maxLength, pattern } = property;
  const form = pattern === undefined ? null : openPattern(pattern);
  return z
    .string(mustBeText)
    .refine(value => minLength === 0 || countCharacters(value) >= minLength, {
      error: minLength === 1 ? 'must not be empty' : `must be at least ${minLength} characters`,
      abort: true,
    })
    .refine(value => maxLength === undefined || hasAtMost(value, maxLength), {
      error: `must be at most ${maxLength} characters`,
      abort: true,
    })
    .refine(value => form === null || form.test(value), { error: `must match ${pattern}` })
    .meta({
      ...hints,
      ...(minLength > 0 && { minLength }),
      ...(maxLength !== undefined && { maxLength }),
      ...(pattern !== undefined && { pattern }),
    });
}

/** A number with its bounds. */
function numberField(property: NumberProperty, hints: Hints): z.ZodType {
  const named = allowedValuesOf(property);
  if (named) return z.literal([...named], oneOf(named)).meta({ ...hints, type: property.type });
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = property;
  const error = boundsSentence(property);
  const isInteger = property.type === 'integer';
  const kind = isInteger ? 'must be an integer' : 'must be a number';
  const unread = {
    error: ({ input }: { readonly input?: unknown }) =>
      // An integer beyond 2^53 arrives as a bigint, and is out of bounds.
      input === undefined ? 'is required' : isBeyond(input, isInteger) ? error : kind,
    abort: true,
  };
  const bounds = [
    ...(minimum === undefined ? [] : [z.gte(minimum, { error })]),
    ...(maximum === undefined ? [] : [z.lte(maximum, { error })]),
    ...(above === undefined ? [] : [z.gt(above, { error })]),
    ...(below === undefined ? [] : [z.lt(below, { error })]),
  ];
  const whole = isInteger ? z.int(unread) : z.number(unread);
  return whole.check(...bounds).meta(hints);
}

/** Whether a number was refused for its size and not for its type. */
const isBeyond = (input: unknown, isInteger: boolean): boolean =>
  typeof input === 'bigint' || (isInteger && isWhole(input));

/** The error sentence of a number, by the bounds that it has. */
function boundsSentence({
  type,
  minimum: least,
  maximum: most,
  exclusiveMinimum: above,
  exclusiveMaximum: below,
}: NumberProperty): string {
  if (least !== undefined && most !== undefined && above === undefined && below === undefined)
    return `must be between ${least} and ${most}`;
  const parts = [
    ...(least === undefined ? [] : [`at least ${least}`]),
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
  ];
  if (parts.length > 0) return `must be ${parts.join(' and ')}`;
  return type === 'integer'
    ? `must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`
    : 'must be a number';
}

/** A boolean, or the one value that `const` allows. */
function flagField(property: FlagProperty, hints: Hints): z.ZodType {
  const { const: only } = property;
  return only === undefined ? flag(hints) : z.literal(only, oneOf([only])).meta(hints);
}

/** The formats that the gateway can probe. */
const formats: Readonly<Record<MediaLimits['kind'], readonly string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/webp'],
  video: ['video/mp4', 'video/quicktime', 'video/webm'],
  audio: ['audio/mpeg', 'audio/wav', 'audio/mp4'],
};

/** The long form of a medium's settings. */
type Bounds = Exclude<MediumSettings, string>;

/** The limits of a medium. By default every format that the gateway can probe is accepted, of any size. */
function limitsOf(written: MediumSettings): MediaLimits {
  const bounds: Bounds = typeof written === 'string' ? { kind: written } : written;
  const { kind, maxBytes, maxBytesExclusive } = bounds;
  return {
    kind,
    forms: bounds.forms ?? ['url', 'data-url'],
    formats: bounds.formats ?? formats[kind],
    ...(maxBytes !== undefined && { maxBytes }),
    ...(maxBytesExclusive && { maxBytesExclusive }),
    ...rangeOf('sides', bounds.sides),
    ...rangeOf('ratio', bounds.ratio),
    ...rangeOf('seconds', bounds.seconds),
    ...rangeOf('fps', bounds.fps),
    ...rangeOf('pixels', bounds.pixels),
  };
}

/**
 * One bound of a medium as a member that can be spread; none where it is not given. Null above means no upper
 * bound.
 */
function rangeOf(name: string, written: Bounds['sides']): Readonly<Record<string, Range>> {
  if (!written) return {};
  const { min, max, exclusive } = written;
  return { [name]: { min, max: max ?? Number.POSITIVE_INFINITY, ...(exclusive && { exclusive }) } };
}
