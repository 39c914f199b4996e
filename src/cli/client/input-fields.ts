/** Fields of an input on the command line: parses `path=value` and sets the value in the type of the schema. */
import { fromJson } from '../../domain/json.ts';
import { CommandError } from '../command-error.ts';

/** The members of JSON Schema that decide the type of a value. */
interface Schema {
  /** A type or a list of types. */
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  /** Schema of each item of a list. */
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** One `path=value` argument. */
export interface Field {
  /** `a.b.0` as its names. */
  readonly path: readonly string[];
  /** The value as written. */
  readonly text: string;
  /** Written `path:=value`: the value is JSON, whatever the schema says. */
  readonly isJson: boolean;
}

type Input = Readonly<Record<string, unknown>>;

/** Throws where the argument has no `=`. */
export function parseField(text: string): Field {
  const match = /^([^=]+?)(:?)=(.*)$/s.exec(text);
  if (!match) throw new CommandError(`${text} is not a field: write NAME=VALUE, A.B=VALUE or NAME:=JSON`);
  const [, path, colon, value] = match;
  return { path: path!.split('.'), text: value!, isJson: colon === ':' };
}

/** A copy of the input with the field set, its value in the type that the schema has at its path. */
export function setField(input: Input, schema: object, { path, text, isJson }: Field): Input {
  const schemas = schemasAt(schema, path);
  const value = isJson ? parseJson(text, path) : coerceValue(text, schemas);
  const isItem = !isJson && !Array.isArray(value) && schemas.some(one => typesOf(one).includes('array'));
  // A field that is a list gets one item with each argument.
  return (
    isItem ? appendAtPath(input, path, coerceItem(text, schemas)) : setAtPath(input, path, value)
  ) as Input;
}

/** The error names the field. */
function parseJson(text: string, path: readonly string[]): unknown {
  try {
    return fromJson(text);
  } catch {
    throw new CommandError(`${path.join('.')}: ${text} is not JSON`);
  }
}

/** Every schema that the value at this path may have; none where the schema does not know the path. */
function schemasAt(schema: Schema, path: readonly string[]): readonly Schema[] {
  const options = alternativesOf(schema);
  const [name, ...rest] = path;
  if (name === undefined) return options;
  return options.flatMap(({ properties, items }) => {
    const next = properties?.[name] ?? (/^\d+$/.test(name) ? items : undefined);
    return next ? schemasAt(next, rest) : [];
  });
}

/** Nested `anyOf` and `oneOf` are flattened. */
const alternativesOf = (schema: Schema): readonly Schema[] =>
  (schema.anyOf ?? schema.oneOf)?.flatMap(alternativesOf) ?? [schema];

/** A nullable field has two types. */
const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type]);

/** A value in the type of the list's items. */
const coerceItem = (text: string, schemas: readonly Schema[]): unknown =>
  coerceValue(
    text,
    schemas.flatMap(({ items }) => (items ? alternativesOf(items) : [])),
  );

/** In the type of the schemas; a string where none fits, which the gateway then validates. */
function coerceValue(text: string, schemas: readonly Schema[]): unknown {
  const allowed = schemas.flatMap(one => one.enum ?? (one.const === undefined ? [] : [one.const]));
  const word = allowed.find(value => String(value) === text);
  if (word !== undefined) return word;
  const types = schemas.flatMap(typesOf);
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

/** A number as JSON writes it. */
const isNumber = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);

/** A copy with the value at the path; a number in the path is an index of a list. */
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

/** A copy with the item added to the list at the path. */
function appendAtPath(input: unknown, path: readonly string[], item: unknown): unknown {
  const before = path.reduce<unknown>(
    (within, name) => (isRecord(within) || Array.isArray(within) ? Reflect.get(within, name) : undefined),
    input,
  );
  return setAtPath(input, path, [...(Array.isArray(before) ? before : []), item]);
}

/** The parsed JSON, with large integers as bigint; null where the text is no JSON. */
export function parseJsonOrNull(text: string): unknown {
  try {
    return fromJson(text);
  } catch {
    return null;
  }
}

/** A JSON object: no array, not null. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
