/** Looks into the schema of a model: the field at a path, fields with named values, and items of lists of content. */

import { z } from 'zod';
import type { JsonObject } from '../../../body/json-body.ts';
import type { Faults } from '../../../catalog/faults.ts';
import type { Model } from '../../../catalog/model.ts';

/** A field whose values are all known, by its dotted path. */
export interface NamedValues {
  readonly path: string;
  readonly values: readonly (string | number)[];
}

/** The schema at a dotted path, without its wrappers; undefined where there is none. */
export function schemaAt(schema: z.core.$ZodType, path: string): z.core.$ZodTypes | undefined {
  let at: z.core.$ZodTypes | undefined = unwrap(schema);
  for (const name of path.split('.')) {
    const { def }: z.core.$ZodTypes['_zod'] = at._zod;
    const member: z.core.$ZodType | undefined = def.type === 'object' ? def.shape[name] : undefined;
    if (!member) return undefined;
    at = unwrap(member);
  }
  return at;
}

/** Every field with named values, also inside objects; those of lists are left out. */
export function namedValuesOf(
  schema: z.core.$ZodType,
  above: readonly string[] = [],
): readonly NamedValues[] {
  const { def } = unwrap(schema)._zod;
  const path = above.join('.');
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, member]) => namedValuesOf(member, [...above, name]));
    case 'enum':
      return [{ path, values: Object.values(def.entries) }];
    case 'literal':
      return [
        { path, values: def.values.filter(value => typeof value === 'string' || typeof value === 'number') },
      ];
    default:
      return [];
  }
}

/** What an item of a list is built around: the address of a picture, or a text. */
export type Leaf = 'picture' | 'text';

/**
 * The value of a schema that has `value` at its first place for a picture or a text. Beside it stand the only value of
 * a field with one (`type: 'image_url'`), and the role of a first frame where there is a choice of roles. Undefined
 * where the schema has no such place.
 */
export function buildAround(schema: z.core.$ZodType, leaf: Leaf, value: string): unknown {
  const inner = unwrap(schema);
  const { def } = inner._zod;
  if (isLeaf(inner, leaf)) return value;
  if (def.type === 'union')
    return def.options.map(option => buildAround(option, leaf, value)).find(built => built !== undefined);
  if (def.type !== 'object') return undefined;
  const members = Object.entries(def.shape);
  const [place] = members.flatMap(([name, member]) => {
    const built = buildAround(member, leaf, value);
    return built === undefined ? [] : [[name, built] as const];
  });
  if (!place) return undefined;
  const beside = members.flatMap(([name, member]) => {
    const [only, ...others] = namedValuesOf(member)[0]?.values ?? [];
    if (only !== undefined && others.length === 0) return [[name, only] as const];
    return [only, ...others].includes(firstFrame) ? [[name, firstFrame] as const] : [];
  });
  return Object.fromEntries([...beside, place]);
}

/** The word of every family for the picture that a video begins with. */
const firstFrame = 'first_frame';

/** Whether a schema is the place itself. */
function isLeaf(schema: z.core.$ZodTypes, leaf: Leaf): boolean {
  if (schema._zod.def.type !== 'string') return false;
  const medium = z.globalRegistry.get(schema)?.media;
  return leaf === 'picture' ? medium?.kind === 'image' : medium === undefined;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodTypes {
  const at = schema as z.core.$ZodTypes;
  const { def } = at._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrap(def.innerType);
    default:
      return at;
  }
}

/**
 * The faults of an input at a path or below it. Its other top-level fields are not looked at: they may be long, and
 * this is asked for each word.
 */
export function faultsAt(model: Model, input: JsonObject, path: string): Faults {
  const [name = ''] = path.split('.', 1);
  const parsed = model.parse(Object.hasOwn(input, name) ? { [name]: input[name] } : {});
  if (parsed.ok) return [];
  return parsed.faults.filter(fault => fault.path === path || fault.path.startsWith(`${path}.`));
}

/** The input with a value at a dotted path; the rest is as it was. */
export function withValue(input: JsonObject, path: string, value: unknown): JsonObject {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...input, [name]: value };
  const inner = input[name];
  const members = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner } : {};
  return { ...input, [name]: withValue(members, rest.join('.'), value) };
}
