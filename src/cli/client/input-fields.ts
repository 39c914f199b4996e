import { fromJson } from '../../domain/json.ts';
import { CommandError } from '../command-error.ts';

/** What of JSON Schema says how a value is written. */
interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** One `path=value` of a command line. */
export interface Field {
  readonly path: readonly string[];
  readonly text: string;
  /** Written `path:=value`: the value is JSON, whatever the schema says. */
  readonly isJson: boolean;
}

type Input = Readonly<Record<string, unknown>>;

export function parseField(text: string): Field {
  const match = /^([^=]+?)(:?)=(.*)$/s.exec(text);
  if (!match) throw new CommandError(`${text} is no field: write NAME=VALUE, A.B=VALUE or NAME:=JSON`);
  const [, path, colon, value] = match;
  return { path: path!.split('.'), text: value!, isJson: colon === ':' };
}

/** The input with a field set: a value in the type that the schema asks for there. */
export function setField(input: Input, schema: object, { path, text, isJson }: Field): Input {
  const places = schemasAt(schema, path);
  const value = isJson ? parseJson(text, path) : coerceValue(text, places);
  const isItem = !isJson && !Array.isArray(value) && places.some(place => typesOf(place).includes('array'));
  // A list is written item by item.
  return (
    isItem ? appendAtPath(input, path, coerceItem(text, places)) : setAtPath(input, path, value)
  ) as Input;
}

function parseJson(text: string, path: readonly string[]): unknown {
  try {
    return fromJson(text);
  } catch {
    throw new CommandError(`${path.join('.')}: ${text} is not JSON`);
  }
}

/** Every schema that a value at this path may have. */
function schemasAt(schema: Schema, path: readonly string[]): readonly Schema[] {
  const options = alternativesOf(schema);
  const [name, ...rest] = path;
  if (name === undefined) return options;
  return options.flatMap(({ properties, items }) => {
    const next = properties?.[name] ?? (/^\d+$/.test(name) ? items : undefined);
    return next ? schemasAt(next, rest) : [];
  });
}

const alternativesOf = (schema: Schema): readonly Schema[] =>
  (schema.anyOf ?? schema.oneOf)?.flatMap(alternativesOf) ?? [schema];

/** Of a field that may be null there are two. */
const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type]);

const coerceItem = (text: string, places: readonly Schema[]): unknown =>
  coerceValue(
    text,
    places.flatMap(({ items }) => (items ? alternativesOf(items) : [])),
  );

/** As the schema would have it; a string where it says nothing, for the gateway to judge. */
function coerceValue(text: string, places: readonly Schema[]): unknown {
  const allowed = places.flatMap(place => place.enum ?? (place.const === undefined ? [] : [place.const]));
  const word = allowed.find(value => String(value) === text);
  if (word !== undefined) return word;
  const types = places.flatMap(typesOf);
  if (types.some(type => type === 'integer' || type === 'number') && isNumber(text)) return fromJson(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.includes('null') && text === 'null') return null;
  if (types.some(type => type === 'object' || type === 'array') && /^\s*[[{]/.test(text)) {
    try {
      return fromJson(text);
    } catch {
      return text;
    }
  }
  return text;
}

const isNumber = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);

/** A copy in which the value stands at the path; numbers are places in a list. */
function setAtPath(within: unknown, path: readonly string[], value: unknown, whole = path): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (/^\d{1,3}$/.test(name) && !isRecord(within)) {
    const items: unknown[] = Array.isArray(within) ? [...within] : [];
    if (Number(name) > items.length)
      throw new CommandError(`${whole.join('.')}: item ${items.length} of the list comes first`);
    items[Number(name)] = setAtPath(items[Number(name)], rest, value, whole);
    return items;
  }
  const members = isRecord(within) ? within : {};
  return { ...members, [name]: setAtPath(members[name], rest, value, whole) };
}

function appendAtPath(input: unknown, path: readonly string[], item: unknown): unknown {
  const before = path.reduce<unknown>(
    (within, name) => (isRecord(within) || Array.isArray(within) ? Reflect.get(within, name) : undefined),
    input,
  );
  return setAtPath(input, path, [...(Array.isArray(before) ? before : []), item]);
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
