/** The JSON Schema keywords that a custom model may use, and the checks between them. */

import { z } from 'zod';
import type { Fault, Faults } from '../faults.ts';
import { patternFault } from './pattern.ts';

/** Largest schema, as JSON. */
export const maxSchemaBytes = 64 * 1024;
/** Depth of groups and lists; each level is a call on the stack while an input is read. */
const maxLevels = 24;
/** Items of a list. */
const maxItems = 1000;

/** Lengths count characters, counts items; a million is the largest bound that can be written. */
const count = z.int().min(0).max(1_000_000);
/** A text that says something. */
const words = z.string().min(1);
/** Keywords for forms and documentation. */
const hints = {
  title: words.max(200).optional(),
  description: words.max(4000).optional(),
  unit: words.max(20).optional(),
  group: words.max(60).optional(),
  widget: z.enum(['textarea', 'seed', 'voice', 'size', 'shots', 'slider']).optional(),
};

/** Bounds of a probed value; null for no upper bound. */
const range = z.strictObject({
  min: z.number().default(0),
  max: z.number().nullable().default(null),
  exclusive: z.literal(true).optional(),
});
/** Decides which limits apply and how a file is probed. */
const mediumKind = z.enum(['image', 'video', 'audio']);
/** The limits of a medium, as `GET /v1/models/{id}` publishes them; all but the kind have defaults. */
const medium = z.union([
  mediumKind,
  z.strictObject({
    kind: mediumKind,
    forms: z
      .array(z.enum(['url', 'data-url', 'raw-base64']))
      .min(1)
      .optional(),
    formats: z
      .array(z.string().regex(/^(image|video|audio)\/[a-z0-9.+-]+$/))
      .min(1)
      .optional(),
    maxBytes: z.int().min(1).optional(),
    maxBytesExclusive: z.literal(true).optional(),
    sides: range.optional(),
    ratio: range.optional(),
    seconds: range.optional(),
    fps: range.optional(),
    pixels: range.optional(),
  }),
]);

/** A string: text, or a medium. */
const textProperty = z.strictObject({
  type: z.literal('string'),
  enum: z.array(words).min(1).max(1000).optional(),
  const: words.optional(),
  minLength: count.optional(),
  maxLength: count.optional(),
  pattern: words.max(200).optional(),
  media: medium.optional(),
  default: z.string().optional(),
  ...hints,
});
/** A number, or one of several. */
const numberProperty = z.strictObject({
  type: z.enum(['integer', 'number']),
  enum: z.array(z.number()).min(1).max(1000).optional(),
  const: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  default: z.number().optional(),
  ...hints,
});
/** A boolean, or the only value that is allowed. */
const flagProperty = z.strictObject({
  type: z.literal('boolean'),
  const: z.boolean().optional(),
  default: z.boolean().optional(),
  ...hints,
});
/** A list; `maxItems` is required, so that every input is bounded. */
const listProperty = z.strictObject({
  type: z.literal('array'),
  get items() {
    return property;
  },
  minItems: count.default(0),
  maxItems: count.max(maxItems, { error: `must be at most ${maxItems}` }),
  default: z.array(z.unknown()).optional(),
  ...hints,
});
/** The members of an object. */
const members = {
  properties: z.lazy(() => z.record(propertyName, property)),
  required: z.array(z.string()).default([]),
  additionalProperties: z.literal(false, { error: 'must be false, as it always is' }).optional(),
};
/** A nested object; unknown members are refused, as at the root. */
const groupProperty = z.strictObject({
  type: z.literal('object'),
  ...members,
  default: z.record(z.string(), z.unknown()).optional(),
  ...hints,
});
/** Annotated, because its type refers to itself: lists and groups have properties. */
const property: z.ZodType<Property> = z.discriminatedUnion(
  'type',
  [textProperty, numberProperty, flagProperty, listProperty, groupProperty],
  { error: 'must be string, integer, number, boolean, array or object' },
);
/** Names stand in the dotted paths of error sentences, so that they have neither dots nor spaces. */
const propertyName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, { error: 'must be a letter, then letters, digits or _, 64 at most' })
  // Names such as `constructor`, which every object inherits.
  .refine(name => !(name in {}), { error: 'is not an allowed name' });

/** The root: annotations without effect are allowed, because other programs write them. */
const rootSchema = z.strictObject({
  $schema: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  type: z.literal('object', { error: 'must be object' }),
  ...members,
});

/** A property of type string. */
export type TextProperty = z.output<typeof textProperty>;
/** A property of type integer or number. */
export type NumberProperty = z.output<typeof numberProperty>;
/** A property of type boolean. */
export type FlagProperty = z.output<typeof flagProperty>;
/** A property of type array. */
export interface ListProperty extends z.output<z.ZodObject<typeof hints>> {
  readonly type: 'array';
  readonly items: Property;
  readonly minItems: number;
  readonly maxItems: number;
  readonly default?: unknown[] | undefined;
}
/** The members of an object. */
export interface Members {
  readonly properties: Record<string, Property>;
  readonly required: string[];
}
/** A property of type object. */
export interface GroupProperty extends Members, z.output<z.ZodObject<typeof hints>> {
  readonly type: 'object';
  readonly default?: Record<string, unknown> | undefined;
}
/** Any property. */
export type Property = TextProperty | NumberProperty | FlagProperty | ListProperty | GroupProperty;
/** `media` of a string property: a kind, or limits. */
export type MediumSettings = z.output<typeof medium>;

/** A schema as it was read, or all its faults. */
export type ParsedSchema =
  | { readonly ok: true; readonly root: Members }
  | { readonly ok: false; readonly faults: Faults };

/** Reads the JSON Schema of a custom model. Only keywords that are enforced are accepted. */
export function readSchema(written: unknown): ParsedSchema {
  const one = (reason: string): ParsedSchema => ({ ok: false, faults: [{ path: '', reason }] });
  if (isDeeperThan(written, maxLevels)) return one(`must not be deeper than ${maxLevels} levels`);
  if (Buffer.byteLength(JSON.stringify(written) ?? '') > maxSchemaBytes)
    return one(`must be at most ${maxSchemaBytes / 1024} KiB`);
  const read = rootSchema.safeParse(written, { error: reasonOf });
  if (!read.success) return { ok: false, faults: read.error.issues.flatMap(faultsOfIssue) };
  const faults = faultsIn(read.data, [], 1);
  return faults.length === 0 ? { ok: true, root: read.data } : { ok: false, faults };
}

/** Whether JSON has more levels than that. */
const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(member => isDeeperThan(member, levels - 1)));

/** The faults of one issue, each with its path. */
function faultsOfIssue(issue: z.core.$ZodIssue): Faults {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => ({ path: [...path, key].join('.'), reason: 'unsupported keyword' }));
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => ({ path: path.join('.'), reason: message }));
  return [{ path: path.join('.'), reason: issue.message }];
}

/** The reason where a keyword has no sentence of its own. */
const reasonOf = ({ input, code }: z.core.$ZodRawIssue): string | undefined =>
  input === undefined && code === 'invalid_type' ? 'is required' : undefined;

/** From the root of the schema to a keyword. */
type Path = readonly (string | number)[];

/** Contradictions between the keywords of properties. `times` is how many of each one input may contain. */
function faultsIn({ properties, required }: Members, path: Path, times: number): Faults {
  const missing = required
    .filter(name => !Object.hasOwn(properties, name))
    .map(name => ({ path: [...path, 'required'].join('.'), reason: `there is no property ${name}` }));
  const contradictions = Object.entries(properties).flatMap(([name, member]) => {
    const at = [...path, 'properties', name];
    return [
      ...(required.includes(name) && member.default !== undefined
        ? [{ path: at.join('.'), reason: 'has a default, so that it cannot be required' }]
        : []),
      ...faultsOfProperty(member, at, times),
    ];
  });
  return [...missing, ...contradictions];
}

/** Contradictions within one property, and below it. */
function faultsOfProperty(member: Property, path: Path, times: number): Faults {
  const fault = (keyword: string, reason: string): Fault => ({ path: [...path, keyword].join('.'), reason });
  switch (member.type) {
    case 'string': {
      const { pattern, maxLength, minLength = 0, media } = member;
      const wrong = pattern === undefined ? null : patternFault(pattern, maxLength, times);
      const beside = (['enum', 'const', 'pattern', 'minLength', 'maxLength', 'default'] as const).filter(
        keyword => media !== undefined && member[keyword] !== undefined,
      );
      return [
        ...(wrong === null ? [] : [fault('pattern', wrong)]),
        ...(minLength > (maxLength ?? minLength) ? [fault('minLength', 'is above maxLength')] : []),
        ...beside.map(keyword => fault(keyword, 'has no meaning beside media')),
      ];
    }
    case 'integer':
    case 'number':
      return isEmptyRange(member) ? [fault('minimum', 'leaves no number below the maximum')] : [];
    case 'boolean':
      return [];
    case 'array':
      return [
        ...(member.minItems > member.maxItems ? [fault('minItems', 'is above maxItems')] : []),
        ...faultsOfProperty(member.items, [...path, 'items'], times * member.maxItems),
      ];
    case 'object':
      return faultsIn(member, path, times);
  }
}

/** Whether no number can satisfy the bounds. */
const isEmptyRange = ({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: NumberProperty): boolean =>
  Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity) >
  Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity);
