import type { Schema } from '../api/answers.ts';

/** Where a value stands in an input. */
export type Path = readonly (string | number)[];

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The path as the gateway writes it in a fault. */
export const pathText = (path: Path): string => path.join('.');

/** The same members with one of them changed; undefined takes it away: what nobody touched is never sent. */
export function withMember(value: unknown, name: string, next: unknown): Members | undefined {
  const { [name]: _, ...rest } = isMembers(value) ? value : {};
  if (next === undefined) return Object.keys(rest).length === 0 ? undefined : rest;
  return { ...rest, [name]: next };
}

/** What a new item of a list begins with: the words that tell its kind, and nothing else. */
export function initialValue(schema: Schema): unknown {
  if (schema.type === 'object' || schema.properties) {
    const told = Object.entries(schema.properties ?? {}).filter(([, member]) => member.const !== undefined);
    return Object.fromEntries(told.map(([name, member]) => [name, member.const]));
  }
  return schema.type === 'array' ? [] : '';
}

/** What an untouched form holds: one item where a list must have one. */
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

/** The one shape of a field that may be written in several: a range with a special value, a choice or nothing. */
export function simple(schema: Schema): Schema & { readonly special?: string | number } {
  if (!schema.anyOf) return schema;
  const [first, ...others] = schema.anyOf;
  const special = others.find(other => other.const !== undefined)?.const;
  return { ...first, ...schema, ...(special !== undefined && { special }) };
}

/** `last_frame` and `lastFrame` as words. */
export function titleOf(schema: Schema, name: string): string {
  if (schema.title) return schema.title;
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** Every slot for media of a schema, with its path; of lists the first place. */
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

/** The same value with one place in it changed. */
export function withValueAt(value: unknown, [first, ...rest]: Path, next: unknown): unknown {
  if (first === undefined) return next;
  if (typeof first === 'string')
    return withMember(value, first, withValueAt(isMembers(value) ? value[first] : undefined, rest, next));
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return [...list.slice(0, first), withValueAt(list[first], rest, next), ...list.slice(first + 1)];
}
