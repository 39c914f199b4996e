/** The fields of a custom model, from the published schema of an input. */

import { isReservedField } from '../catalog/custom/model.ts';
import { patternFault } from '../catalog/custom/pattern.ts';
import { clip } from './clip.ts';
import { exampleOf } from './example-values.ts';
import { ImportError } from './import-error.ts';
import { mediumKindOf } from './media-names.ts';
import type { PublishedDocument, ResolvedSchema, SchemaNode } from './published-schema.ts';

/** A property as it is written into `atelier.yaml`. */
export type WrittenProperty = Readonly<Record<string, unknown>>;

/** The fields that were mapped, and what was left out or changed. */
export interface MappedFields {
  readonly properties: Readonly<Record<string, WrittenProperty>>;
  readonly required: readonly string[];
  /** A valid input. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
  /** The upstream's names of the fields that are called otherwise here. */
  readonly renamed: Readonly<Record<string, string>>;
}

/** The upstream's name of each field, and the field. */
export const mappedFieldNames = ({
  properties,
  renamed,
}: MappedFields): readonly (readonly [upstreamName: string, field: string])[] =>
  Object.keys(properties).map(field => [renamed[field] ?? field, field] as const);

/** Fields that this gateway sets itself or that have no place in a job, with the reason. */
export type SkippedFields = Readonly<Record<string, string>>;

/** Characters of titles and descriptions, and levels of groups in each other. */
const maxTitle = 100;
const maxDescription = 300;
const maxDepth = 3;
/** Items of a list that publishes no bound: every input is bounded here. */
const defaultMaxItems = 10;
/** Items and characters beyond which a custom model may not go, whatever the upstream publishes. */
const maxItems = 1000;
const maxTextLength = 1_000_000;

/** The document that references point into, and the notes that are collected on the way. */
interface FieldContext {
  readonly document: PublishedDocument;
  readonly notes: string[];
}

/** Reads the fields of an input. Throws `ImportError` where a required one cannot be mapped. */
export function readFields(
  document: PublishedDocument,
  input: SchemaNode,
  skipped: SkippedFields = {},
): MappedFields {
  const notes: string[] = [];
  const read = readMembers({ document, notes }, document.resolve(input), [], skipped);
  return { ...read, notes };
}

/** What was read of one object. */
type Members = Omit<MappedFields, 'notes'>;

/**
 * Maps each property in the order of the form. A default makes a field optional, and so it is not in the example.
 */
function readMembers(
  context: FieldContext,
  schema: ResolvedSchema,
  path: readonly string[],
  skipped: SkippedFields = {},
): Members {
  const required = new Set(schema.required ?? []);
  const properties: Record<string, WrittenProperty> = {};
  const renamed: Record<string, string> = {};
  const example: Record<string, unknown> = {};
  for (const upstreamName of namesInOrder(schema)) {
    const member = context.document.resolve(schema.properties?.[upstreamName] ?? {});
    const at = [...path, upstreamName];
    const reason = skipped[upstreamName] ?? (isReservedField(upstreamName) ? reserved : undefined);
    const property = reason ?? readProperty(context, member, at);
    if (typeof property === 'string') {
      leaveOut(context, at, property, required.has(upstreamName) && reason === undefined);
      continue;
    }
    const field = path.length === 0 ? legalName(upstreamName) : upstreamName;
    if (field !== upstreamName) renamed[field] = upstreamName;
    properties[field] = property;
    if (property.default !== undefined) required.delete(upstreamName);
    else if (required.has(upstreamName)) example[field] = exampleOf(property, member, upstreamName);
  }
  const kept = Object.keys(properties).filter(field => required.has(renamed[field] ?? field));
  return { properties, required: kept, example, renamed };
}

/** Why a field for callbacks is left out. */
const reserved = 'this gateway sends its own address for callbacks';

/** Vendors publish the order of their forms beside the properties. */
function namesInOrder(schema: ResolvedSchema): readonly string[] {
  const names = Object.keys(schema.properties ?? {});
  const order = schema['x-fal-order-properties'];
  if (Array.isArray(order)) {
    const listed = order.filter(name => typeof name === 'string' && names.includes(name)).map(String);
    return [...listed, ...names.filter(name => !listed.includes(name))];
  }
  const placeOf = (name: string): number => {
    const place = schema.properties?.[name]?.['x-order'];
    return typeof place === 'number' ? place : names.length;
  };
  return names.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Names of fields are letters, digits and `_`. */
const legalName = (name: string): string =>
  name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^[^A-Za-z]+/, 'field_');

/**
 * Notes a field that is left out; a required one stops the import, because no input would be valid without it.
 */
function leaveOut(
  { notes }: FieldContext,
  path: readonly string[],
  reason: string,
  isRequired: boolean,
): void {
  const field = path.join('.');
  if (isRequired)
    throw new ImportError(
      `${field}: is required by the upstream and cannot be mapped: ${reason}. Write the model by hand (docs/adding-a-model.md, Without a release), with a fixed value for it in the body of the route.`,
    );
  notes.push(`${field}: left out: ${reason}`);
}

/** The property; a reason where it cannot be expressed. */
function readProperty(
  context: FieldContext,
  schema: ResolvedSchema,
  path: readonly string[],
): WrittenProperty | string {
  if (schema.alternatives > 0)
    context.notes.push(
      `${path.join('.')}: one of several published forms was kept (${schema.type ?? 'unknown'})`,
    );
  switch (schema.type) {
    case 'string':
      return readText(context, schema, path);
    case 'integer':
    case 'number':
      return readNumber(context, schema, path);
    case 'boolean':
      return { type: 'boolean', ...defaultOf(schema, 'boolean'), ...hintsOf(schema, path) };
    case 'array':
      return readList(context, schema, path);
    case 'object':
      return readGroup(context, schema, path);
    default:
      return 'its schema names no type';
  }
}

/** Words for the form, where they add something to the name. */
function hintsOf(schema: ResolvedSchema, path: readonly string[]): WrittenProperty {
  const { title, description } = schema;
  const hasTitle = title !== undefined && title !== '' && title !== path.at(-1);
  // What generators of schemas write of every list of values.
  const hasDescription = description !== undefined && description !== '' && description !== 'An enumeration.';
  return {
    ...(hasTitle && { title: clip(title, maxTitle) }),
    ...(hasDescription && { description: clip(description, maxDescription) }),
  };
}

/** A default of another type than its property says nothing, and is dropped. */
const defaultOf = ({ default: usual }: ResolvedSchema, type: string): WrittenProperty =>
  typeof usual === type ? { default: usual } : {};

/** A medium, one of named values, or a text. Vendors mark media by names and descriptions, see `mediumKindOf`. */
function readText(
  context: FieldContext,
  schema: ResolvedSchema,
  path: readonly string[],
): WrittenProperty | string {
  const name = path.at(-1) ?? '';
  const medium = mediumKindOf(name, schema);
  if (medium) return { type: 'string', media: medium, ...hintsOf(schema, path) };
  if (schema.enum) return readNames(schema, path);
  const { minLength, maxLength } = boundsOf(schema, ['minLength', 'maxLength']);
  const length = {
    minLength,
    maxLength: maxLength === undefined ? undefined : Math.min(maxLength, maxTextLength),
  };
  const isLong =
    /prompt|text|lyrics|script/.test(name) && !(length.maxLength !== undefined && length.maxLength < 100);
  return {
    type: 'string',
    ...withoutUndefined(length),
    ...patternOf(context, schema, path),
    ...defaultOf(schema, 'string'),
    ...(isLong && { widget: 'textarea' }),
    ...hintsOf(schema, path),
  };
}

/** A pattern is written where it can be matched in bounded time. */
function patternOf(
  { notes }: FieldContext,
  schema: ResolvedSchema,
  path: readonly string[],
): WrittenProperty {
  if (schema.pattern === undefined) return {};
  const { maxLength } = boundsOf(schema, ['maxLength']);
  const fault =
    schema.pattern.length > 200
      ? 'is longer than 200 characters'
      : patternFault(schema.pattern, maxLength, 1);
  if (fault === null) return { pattern: schema.pattern };
  notes.push(`${path.join('.')}: its pattern is checked by the upstream alone: it ${fault}`);
  return {};
}

/** Named values; those that are no text, or are empty, cannot be chosen in a form. */
function readNames(schema: ResolvedSchema, path: readonly string[]): WrittenProperty | string {
  const names = (schema.enum ?? []).filter(value => typeof value === 'string' && value !== '');
  if (names.length === 0) return 'none of its values is a text';
  const usual = names.includes(schema.default) ? { default: schema.default } : {};
  return { type: 'string', enum: names, ...usual, ...hintsOf(schema, path) };
}

/** A number with its bounds or its values. What JSON Schema can say beyond that is left to the upstream. */
function readNumber(
  { notes }: FieldContext,
  schema: ResolvedSchema,
  path: readonly string[],
): WrittenProperty | string {
  const bounds = boundsOf(schema, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);
  const values = schema.enum?.filter(value => typeof value === 'number');
  if (schema.enum && values?.length === 0) return 'none of its values is a number';
  if (typeof schema.multipleOf === 'number' && schema.multipleOf !== 1)
    notes.push(
      `${path.join('.')}: that it is a multiple of ${schema.multipleOf} is checked by the upstream alone`,
    );
  const isSeed = /(?:^|_)seed$/.test(path.at(-1) ?? '');
  return {
    type: schema.type,
    ...(values ? { enum: values } : withoutUndefined(bounds)),
    ...defaultOf(schema, 'number'),
    ...(isSeed && { widget: 'seed' }),
    ...hintsOf(schema, path),
  };
}

/** Bounds beyond the safe integers are none. */
function boundsOf<Name extends string>(
  schema: ResolvedSchema,
  names: readonly Name[],
): Partial<Record<Name, number>> {
  const found: Partial<Record<Name, number>> = {};
  for (const name of names) {
    const bound = schema[name];
    if (typeof bound === 'number' && Math.abs(bound) <= Number.MAX_SAFE_INTEGER) found[name] = bound;
  }
  return found;
}

/** JSON and YAML have no undefined. */
const withoutUndefined = (members: Readonly<Record<string, unknown>>): WrittenProperty =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** A list of one kind of items, always with a longest length. */
function readList(
  context: FieldContext,
  schema: ResolvedSchema,
  path: readonly string[],
): WrittenProperty | string {
  if (!schema.items) return 'its schema does not say what is in the list';
  const items = readProperty(context, context.document.resolve(schema.items), path);
  if (typeof items === 'string') return `of an item of the list ${items}`;
  const { default: _, description: _1, title: _2, ...item } = items;
  const { minItems, maxItems: published = longestIn(schema) } = boundsOf(schema, ['minItems', 'maxItems']);
  if (published === undefined)
    context.notes.push(
      `${path.join('.')}: the upstream publishes no longest list; at most ${defaultMaxItems} are accepted (maxItems)`,
    );
  return {
    type: 'array',
    items: item,
    ...(minItems && { minItems }),
    maxItems: Math.min(published ?? Math.max(defaultMaxItems, minItems ?? 0), maxItems),
    ...hintsOf(schema, path),
  };
}

/** Many vendors write the bound of a list into its description alone. */
function longestIn({ description = '' }: ResolvedSchema): number | undefined {
  const found = /(?:up to|at most|max(?:imum)?(?: of)?:?) (\d{1,3})\b/i.exec(description)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** A nested object; its members keep the upstream's names, because only fields of the root can be renamed. */
function readGroup(
  context: FieldContext,
  schema: ResolvedSchema,
  path: readonly string[],
): WrittenProperty | string {
  if (Object.keys(schema.properties ?? {}).length === 0)
    return 'its schema does not say what is in the object';
  if (path.length > maxDepth) return `it is nested deeper than ${maxDepth} levels`;
  const { properties, required } = readMembers(context, schema, path);
  const illegal = Object.keys(properties).filter(name => !/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name));
  if (illegal.length > 0)
    return `its member ${illegal[0]} has a name with other characters than letters, digits and _`;
  if (Object.keys(properties).length === 0) return 'none of its members can be mapped';
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...hintsOf(schema, path) };
}
