/** Translates inputs of another protocol by a table of words, and refusals back into those words. */

import type { JsonObject } from '../../../body/json-body.ts';
import { Refusal, refuse } from '../../../domain/refusal.ts';

/** Where the value of a word goes. */
export interface Word {
  /** The path of our field, joined by dots. */
  readonly to: string;
  /** Our value for theirs; a value that it does not know goes on as it is, and our schema refuses it. */
  readonly as?: (value: unknown) => unknown;
}

/** How inputs of one endpoint are written for one of our models. */
export interface Translation {
  /** Their words; a string is the path of our field. Every other name goes on as it is. */
  readonly words: Readonly<Record<string, string | Word>>;
  /** Before the words: what several words say together, written as our own fields. */
  readonly prepare?: (input: JsonObject) => JsonObject;
}

/** Our input for theirs. `preset` is what the name of the endpoint says. A field that is set twice is refused. */
export function translate(
  { words, prepare }: Translation,
  input: JsonObject,
  preset: JsonObject = {},
): JsonObject {
  let result = preset;
  for (const [name, value] of Object.entries(prepare ? prepare(input) : input)) {
    const { to, as } = wordOf(words, name);
    const joined = join(result, nest(to.split('.'), as ? as(value) : value));
    if (!joined) throw refuse('input_invalid', { subject: `${name}: is said twice`, fields: [name] });
    result = joined;
  }
  return result;
}

/** A name without a word stays; only own members of the table count. */
function wordOf(words: Translation['words'], name: string): Word {
  const word = Object.hasOwn(words, name) ? words[name]! : name;
  return typeof word === 'string' ? { to: word } : word;
}

/** `{ a: { b: value } }` for the path `a.b`. */
const nest = ([name = '', ...rest]: readonly string[], value: unknown): JsonObject => ({
  [name]: rest.length > 0 ? nest(rest, value) : value,
});

/** Both objects in one; null where a member has a value in both. */
function join(a: JsonObject, b: JsonObject): JsonObject | null {
  const members = new Map(Object.entries(a));
  for (const [name, value] of Object.entries(b)) {
    const before = members.get(name);
    const joined =
      before === undefined ? value : isObject(before) && isObject(value) ? join(before, value) : null;
    if (before !== undefined && joined === null) return null;
    members.set(name, joined);
  }
  return Object.fromEntries(members);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A refusal that names our fields, with their words in their place; every other failure as it is. */
export function inTheirWords({ words }: Translation, failure: unknown): unknown {
  if (!(failure instanceof Refusal) || failure.refusal !== 'input_invalid') return failure;
  const theirs = new Map(
    Object.keys(words).flatMap(name => {
      const { to } = wordOf(words, name);
      return to === name ? [] : [[to, name] as const];
    }),
  );
  const rename = (path: string) => theirs.get(path) ?? path;
  const subject = failure.message.replace(
    /(^|; )([\w.]+)(?=: )/g,
    (_, before: string, path: string) => before + rename(path),
  );
  const fields = failure.details.fields?.map(rename);
  return new Refusal('input_invalid', { ...failure.details, subject, ...(fields && { fields }) });
}

/** A number that is written as text. */
export const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;

/** Our word for one of theirs; others go on. */
export const oneOf =
  (table: Readonly<Record<string, unknown>>) =>
  (value: unknown): unknown =>
    Object.hasOwn(table, String(value)) ? table[String(value)] : value;

/** Takes out members that have no field of ours; each must have the one value that we always have. */
export function without(input: JsonObject, only: Readonly<Record<string, unknown>>): JsonObject {
  for (const [name, wanted] of Object.entries(only)) {
    if (input[name] === undefined || input[name] === null || input[name] === wanted) continue;
    const reason = `must be ${JSON.stringify(wanted)} here`;
    throw refuse('input_invalid', { subject: `${name}: ${reason}`, fields: [name] });
  }
  return Object.fromEntries(Object.entries(input).filter(([name]) => !Object.hasOwn(only, name)));
}

/** One member for several: the lists of our models, from the members that endpoints have for each item. */
export function gather(
  input: JsonObject,
  names: readonly string[],
  field: string,
  itemsOf: (members: JsonObject) => readonly unknown[],
): JsonObject {
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
  const items = itemsOf(input);
  // Our own list beside them is refused, as a field that is said twice.
  return items.length === 0 ? rest : { ...rest, [field]: Object.hasOwn(rest, field) ? null : items };
}

/** A list as it is, one value as a list of one, and nothing as none. */
export const listOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
