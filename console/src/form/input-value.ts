/** Values of an input: reading and changing them by path, initial values, titles. */
import type { Schema } from '../api/input-schema.ts';

/** The names and indexes that lead to a value of an input. */
export type Path = readonly (string | number)[];

/** The members of an object value. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and neither a list nor null. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `settings.duration`: the path as the gateway writes it in a fault. */
export const pathText = (path: Path): string => path.join('.');

/**
 * A copy with one member changed, or removed by undefined: an unset field is not sent. Undefined where no member is left,
 * so that an object of unset fields is not sent either.
 */
export function withMember(value: unknown, name: string, next: unknown): Members | undefined {
  const { [name]: _, ...rest } = isMembers(value) ? value : {};
  if (next === undefined) return Object.keys(rest).length === 0 ? undefined : rest;
  return { ...rest, [name]: next };
}

/** The initial value of a new list item: the constants that identify its kind, and nothing else. */
export function initialValue(schema: Schema): unknown {
  if (schema.type === 'object' || schema.properties) {
    const constants = Object.entries(schema.properties ?? {}).filter(
      ([, member]) => member.const !== undefined,
    );
    return Object.fromEntries(constants.map(([name, member]) => [name, member.const]));
  }
  return schema.type === 'array' ? [] : '';
}

/** The input of an empty form: the items that required lists need at least. */
export function initialInput(schema: Schema): Members {
  const lists = Object.entries(schema.properties ?? {}).filter(
    ([name, member]) => schema.required?.includes(name) && (member.minItems ?? 0) > 0,
  );
  return Object.fromEntries(
    lists.map(([name, { items, minItems = 1 }]) => [
      name,
      Array.from({ length: minItems }, () => (items ? initialValue(items.oneOf?.[0] ?? items) : '')),
    ]),
  );
}

/** One schema for a field with alternatives: the first of them, and the constant of another as `special` (seed: -1). */
export function simple(schema: Schema): Schema & { readonly special?: string | number } {
  if (!schema.anyOf) return schema;
  const [first, ...others] = schema.anyOf;
  const special = others.find(other => other.const !== undefined)?.const;
  return { ...first, ...schema, ...(special !== undefined && { special }) };
}

/** The title of the schema, else the name as words: `last_frame` and `lastFrame` are "Last frame". */
export function titleOf(schema: Schema, name: string): string {
  if (schema.title) return schema.title;
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** Every media field of a schema with its path; of a list the first item. */
export function mediaSlots(
  schema: Schema,
  path: Path = [],
): readonly { readonly path: Path; readonly schema: Schema }[] {
  if (schema.media) return [{ path, schema }];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    mediaSlots(member, [...path, name]),
  );
  return [...members, ...(schema.items ? mediaSlots(schema.items, [...path, 0]) : [])];
}

/** A copy with the value at a path changed. */
export function withValueAt(value: unknown, [first, ...rest]: Path, next: unknown): unknown {
  if (first === undefined) return next;
  if (typeof first === 'string')
    return withMember(value, first, withValueAt(isMembers(value) ? value[first] : undefined, rest, next));
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return [...list.slice(0, first), withValueAt(list[first], rest, next), ...list.slice(first + 1)];
}
