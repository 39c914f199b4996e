/** The types of the bodies that the gateway answers, from the routes it makes its OpenAPI document of. */

import { type Json, schemasOfBodies } from '../../src/answers/json-schema.ts';
import { docComment } from '../../src/cli/client/types/doc-comment.ts';
import { documentedBodies } from '../../src/http/openapi.ts';
import { routes } from '../../src/http/route-list.ts';

/** Names of the client that are not those of the OpenAPI document. */
export const clientNames: Readonly<Record<string, string>> = {
  Handle: 'CreatedJob',
  Status: 'JobStatus',
  OwnJob: 'ListedJob',
  Result: 'JobResult',
  File: 'FileObject',
  Deletion: 'FileDeletion',
  Model: 'ModelDescription',
};

/** Without the members of a family, which are `unknown`: where they are typed, `in` cannot narrow a status. */
const closedTypes: readonly string[] = ['QueuedStatus', 'RunningStatus'];

const base = '#/';

/** The source of the file: a type for each body and for each named part of one. */
export function bodiesSource(): string {
  const schemas = Object.entries(schemasOfBodies(documentedBodies(routes), base));
  return schemas
    .map(([name, schema]) => declarationOf(clientNames[name] ?? name, schema as BodySchema))
    .join('\n');
}

/** What of JSON Schema the bodies use. */
interface BodySchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly BodySchema[];
  readonly oneOf?: readonly BodySchema[];
  readonly allOf?: readonly BodySchema[];
  readonly items?: BodySchema;
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Json;
}

function declarationOf(name: string, schema: BodySchema): string {
  const doc = docComment([schema.description ?? ''], '');
  const { additionalProperties: _, ...closed } = schema;
  const type = typeOf(closedTypes.includes(name) ? closed : schema, '');
  return schema.properties
    ? `${doc}export interface ${name} ${type}\n`
    : `${doc}export type ${name} = ${type};\n`;
}

function typeOf(schema: BodySchema, indent: string): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(base.length);
    return clientNames[name] ?? name;
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(option => typeOf(option, indent)).join(' | ');
  if (schema.allOf) return schema.allOf.map(part => typeOf(part, indent)).join(' & ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return unionOf(schema.enum.map(literal), indent);
  if (typeof schema.type === 'object') return schema.type.join(' | ');
  switch (schema.type) {
    case 'object':
      return objectType(schema, indent);
    case 'array':
      return arrayType(typeOf(schema.items ?? {}, indent));
    case 'integer':
      return 'number';
    case undefined:
      return 'unknown';
    default:
      return schema.type;
  }
}

/** One option a line where they are many. */
const unionOf = (options: readonly string[], indent: string): string => {
  const line = options.join(' | ');
  return line.length < 90 ? line : options.map(option => `\n${indent}  | ${option}`).join('');
};

const literal = (value: string | number | boolean): string =>
  typeof value === 'string' ? `'${value}'` : String(value);

const arrayType = (item: string): string =>
  /^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`;

function objectType({ properties, required = [], additionalProperties }: BodySchema, indent: string): string {
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return `Readonly<Record<string, ${value}>>`;
  }
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${docComment([member.description ?? ''], inner)}${inner}readonly ${name}${mark}: ${typeOf(member, inner)};\n`.replace(
      ': \n',
      ':\n',
    );
  });
  if (additionalProperties) members.push(`${inner}readonly [native: string]: unknown;\n`);
  return `{\n${members.join('')}${indent}}`;
}
