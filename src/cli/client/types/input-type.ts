/** TypeScript types from the JSON Schemas of the catalog. */

import type { MediaLimits } from '../../../catalog/media.ts';
import { docComment } from './doc-comment.ts';
import { mediaSentence } from './media-sentence.ts';

/** The keywords of JSON Schema that the catalog uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly unit?: string;
  readonly media?: MediaLimits;
}

/** One field of an input type: its name, and its declaration with its doc comment. */
export interface InputMember {
  readonly name: string;
  readonly source: string;
}

/** The fields of an input type, as far as types can express the schema; their comments say the rest. */
export const inputMembers = (schema: object, indent = '  '): readonly InputMember[] =>
  membersOf(schema, indent);

/**
 * The type of a value; throws for a schema that the catalog does not use, so that no field is generated as
 * unknown.
 */
function typeOf(schema: Schema, indent: string): string {
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return unionOf(options.map(option => typeOf(option, indent)));
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const { type } = schema;
  if (typeof type === 'object') return unionOf(type.map(one => typeOf({ ...schema, type: one }, indent)));
  switch (schema.type) {
    case 'object':
      return objectType(schema, indent);
    case 'array':
      return arrayType(typeOf(schema.items ?? {}, indent));
    case 'integer':
      // A number cannot represent all of them.
      return schema.format === 'int64' ? 'number | bigint' : 'number';
    case 'number':
    case 'boolean':
    case 'string':
    case 'null':
      return schema.type;
    default:
      throw new Error(`expected a schema that has a type in TypeScript, got ${JSON.stringify(schema)}`);
  }
}

/** Integer literals beside `number` are left out: they add nothing. */
const unionOf = (types: readonly string[]): string =>
  types.filter(type => !(types.includes('number') && /^-?\d+$/.test(type))).join(' | ');

/** A value as source code. */
const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : String(value);

/** Unions need parentheses. */
const arrayType = (item: string): string =>
  /^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`;

/** The type of an object, with its members one level deeper. */
function objectType(schema: Schema, indent: string): string {
  const members = membersOf(schema, `${indent}  `).map(({ source }) => source);
  return `{\n${members.join('')}${indent}}`;
}

/** The members in the order of the schema. */
const membersOf = ({ properties = {}, required = [] }: Schema, indent: string): readonly InputMember[] =>
  Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?';
    const declaration = `${indent}readonly ${name}${mark}: ${typeOf(member, indent)};\n`;
    return { name, source: docComment(linesOn(member), indent) + declaration };
  });

/** Title and description, then the bounds, then the default. */
export function linesOn(schema: Schema): readonly string[] {
  const sentences = [schema.title, schema.description].filter(text => text !== undefined);
  const bounds = boundsOf(schema);
  const hasDefault = schema.default !== undefined && typeof schema.default !== 'object';
  return [
    sentences.map(text => (/[.!?:]$/.test(text) ? text : `${text}.`)).join(' '),
    bounds === '' ? '' : `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`,
    schema.media ? mediaSentence(schema.media) : '',
    hasDefault || schema.default === null ? `@default ${literal(schema.default)}` : '',
  ];
}

/** What a type cannot express, as a sentence without its end; empty where there are no bounds. */
function boundsOf(given: Schema): string {
  const schema = withoutNull(given);
  const options = schema.anyOf?.map(boundsOf).filter(text => text !== '') ?? [];
  if (options.length > 0) return options.join(', or ') + unitOf(schema);
  if (schema.type === 'integer' || schema.type === 'number')
    return span(schema.minimum, schema.maximum) + unitOf(schema);
  if (schema.type === 'string') return counted(schema.minLength, schema.maxLength, 'character');
  if (schema.type === 'array') return counted(schema.minItems, schema.maxItems, 'item');
  return '';
}

/** The schema without null, which the type already shows. */
const withoutNull = (schema: Schema): Schema => {
  const types = typeof schema.type === 'object' ? schema.type.filter(type => type !== 'null') : [];
  return types[0] === undefined ? schema : { ...schema, type: types[0] };
};

/** The unit, where there is a number that it could stand behind. */
const unitOf = ({ unit, anyOf, minimum, maximum }: Schema): string =>
  unit === undefined || (!anyOf && minimum === undefined && maximum === undefined) ? '' : ` ${unit}`;

/** A range with both ends included; empty without any. */
function span(min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return '';
  if (max === undefined) return `at least ${min}`;
  return min === undefined ? `at most ${max}` : `${min} to ${max}`;
}

/** A range of how many; one of at least 1 is said in words. */
function counted(min: number | undefined, max: number | undefined, word: string): string {
  if (min === 1 && max === undefined) return word === 'item' ? 'not empty' : 'must not be empty';
  const range = span(min === 0 ? undefined : min, max);
  return range === '' ? '' : `${range} ${word}${max === 1 ? '' : 's'}`;
}
