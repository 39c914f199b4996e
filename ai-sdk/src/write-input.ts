/** Writes the general words of the AI SDK as fields of a model. A word without a field is refused before anything is paid. */

import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { ModelDescription } from 'atelier-client';

/** A field and its value; the path is joined by dots. */
export interface Assignment {
  readonly path: string;
  readonly value: unknown;
}

/** One word of a call. */
export interface Word {
  readonly name: string;
  /** Undefined: it was not said. */
  readonly value: unknown;
  /** The paths that models use for it, or what writes it; null where the model has no field. */
  readonly to: readonly string[] | ((model: ModelDescription) => readonly Assignment[] | null);
}

/** A JSON Schema of a field, as far as it matters here. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly media?: { readonly forms: readonly string[] };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The input of a model. `own` are fields of the model itself; they win over words. Throws an UnsupportedFunctionalityError. */
export function writeInput(model: ModelDescription, words: readonly Word[], own: JsonObject): JsonObject {
  const written = words
    .filter(({ value }) => value !== undefined)
    .flatMap(word => assignmentsOf(model, word))
    .reduce<JsonObject>((input, { path, value }) => merge(input, nest(path.split('.'), value)), {});
  return merge(written, own);
}

/** The schema at a path; null where the model has no such field. */
export function fieldAt({ input_schema }: ModelDescription, path: string): FieldSchema | null {
  let schema: FieldSchema | undefined = input_schema;
  for (const name of path.split('.')) schema = schema?.properties?.[name];
  return schema ?? null;
}

/** The refusal of a word. */
export const unsupported = ({ id }: ModelDescription, name: string): UnsupportedFunctionalityError =>
  new UnsupportedFunctionalityError({
    functionality: name,
    message: `${id} has no field for ${name}. Its own fields are given in providerOptions.atelier.`,
  });

function assignmentsOf(model: ModelDescription, { name, value, to }: Word): readonly Assignment[] {
  if (typeof to === 'function') {
    const found = to(model);
    if (!found) throw unsupported(model, name);
    return found;
  }
  const path = to.find(candidate => takes(fieldAt(model, candidate), value));
  if (path === undefined) throw unsupported(model, name);
  return [{ path, value }];
}

/** Whether a field takes values of this type; bounds are checked by the gateway. */
function takes(schema: FieldSchema | null, value: unknown): boolean {
  if (!schema) return false;
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return true;
  const wanted = typeof value === 'number' ? ['number', 'integer'] : [typeof value];
  return types.some(type => wanted.includes(type));
}

const nest = ([name = '', ...rest]: readonly string[], value: unknown): JsonObject => ({
  [name]: rest.length > 0 ? nest(rest, value) : value,
});

/** The second over the first, at every depth. */
function merge(first: JsonObject, second: JsonObject): JsonObject {
  const merged = new Map(Object.entries(first));
  for (const [name, value] of Object.entries(second)) {
    const before = merged.get(name);
    merged.set(name, isObject(before) && isObject(value) ? merge(before, value) : value);
  }
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
