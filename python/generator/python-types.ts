/** Python types from the schemas of the OpenAPI document: a TypedDict for each object. */

import { type Schema as LineSchema, linesOn } from '../../src/cli/client/types/input-type.ts';

/** The keywords of the document that become types or comments. */
export interface Schema
  extends Omit<LineSchema, 'anyOf' | 'oneOf' | 'items' | 'properties' | 'media' | 'unit'> {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly 'x-media'?: LineSchema['media'];
  readonly 'x-unit'?: string;
}

/** How types are written. */
export interface TypeStyle {
  /** The schemas that references name. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The Python name of a schema. */
  readonly nameOf: (schema: string) => string;
  /** `List` for what is received, `Sequence` for what is sent. */
  readonly array: 'List' | 'Sequence';
}

/** The declarations of one named schema, those of the objects inside it first. */
export function declarationsOf(name: string, schema: Schema, style: TypeStyle): readonly string[] {
  const declared: string[] = [];
  const objects = objectsIn(schema, style);
  if (objects?.length === 1) declareObject(name, objects[0]!.object, schema.description, style, declared);
  else {
    const type = typeOf(schema, name, style, declared);
    // An alias is evaluated when the module is loaded: what it names may be declared later.
    const quoted = type.replaceAll(/(?<!["\w.])(?!Union\b|List\b|Dict\b|Any\b)[A-Z]\w+/g, '"$&"');
    declared.push(`${commentOf(schema.description)}${name} = ${quoted}\n`);
  }
  return declared;
}

/** A Python expression of a type. Objects are declared under names that begin with `name`. */
function typeOf(schema: Schema, name: string, style: TypeStyle, declared: string[]): string {
  if (schema.$ref !== undefined) return style.nameOf(lastOf(schema.$ref));
  const options = schema.anyOf ?? schema.oneOf;
  if (options) {
    const isOnly = options.filter(({ type }) => type !== 'null').length === 1;
    return unionOf(
      options.map((one, at) => typeOf(one, isOnly ? name : optionName(name, one, at), style, declared)),
    );
  }
  if (schema.allOf) {
    const objects = objectsIn(schema, style) ?? [];
    return unionOf(
      objects.map(({ object, origin }) => {
        const own = objects.length === 1 ? name : name + origin;
        declareObject(own, object, undefined, style, declared);
        return own;
      }),
    );
  }
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  const { type } = schema;
  if (typeof type === 'object')
    return unionOf(type.map(one => typeOf({ ...schema, type: one }, name, style, declared)));
  switch (type) {
    case 'object':
      return objectType(schema, name, style, declared);
    case 'array':
      return `${style.array}[${typeOf(schema.items ?? {}, `${name}Item`, style, declared)}]`;
    case undefined:
      return 'Any';
    default:
      return scalars[type] ?? 'Any';
  }
}

const scalars: Readonly<Record<string, string>> = {
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  string: 'str',
  null: 'None',
};

function objectType(schema: Schema, name: string, style: TypeStyle, declared: string[]): string {
  if (schema.properties) {
    declareObject(name, schema, undefined, style, declared);
    return name;
  }
  const { additionalProperties } = schema;
  const value =
    typeof additionalProperties === 'object'
      ? typeOf(additionalProperties, `${name}Value`, style, declared)
      : 'Any';
  return `${style.array === 'List' ? 'Dict' : 'Mapping'}[str, ${value}]`;
}

/** An object of which a schema consists, and the Python name of the schema that has most of it. */
interface FoundObject {
  readonly object: Schema;
  readonly origin: string;
}

/** The objects that a reference, an object or an intersection stands for; null for anything else. */
function objectsIn(schema: Schema, style: TypeStyle): readonly FoundObject[] | null {
  if (schema.$ref !== undefined) {
    const name = lastOf(schema.$ref);
    return (
      objectsIn(style.schemas[name]!, style)?.map(({ object, origin }) => ({
        object,
        origin: origin === '' ? style.nameOf(name) : origin,
      })) ?? null
    );
  }
  if (schema.allOf) {
    const parts = schema.allOf.map(part => objectsIn(part, style));
    return parts.reduce((left, right) =>
      left && right ? left.flatMap(one => right.map(two => merged(one, two))) : null,
    );
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options && schema.properties === undefined) {
    const parts = options.map(option => objectsIn(option, style));
    return parts.some(part => part === null) ? null : parts.flatMap(part => part!);
  }
  return schema.properties ? [{ object: schema, origin: '' }] : null;
}

const merged = (one: FoundObject, two: FoundObject): FoundObject => ({
  origin: one.origin === '' ? two.origin : one.origin,
  object: {
    ...one.object,
    properties: { ...one.object.properties, ...two.object.properties },
    required: [...(one.object.required ?? []), ...(two.object.required ?? [])],
  },
});

/** Two classes where some members are required and others are not: Python 3.9 has no other way to say so. */
function declareObject(
  name: string,
  { properties = {}, required = [], ...schema }: Schema,
  description: string | undefined,
  style: TypeStyle,
  declared: string[],
): void {
  const members = Object.entries(properties).map(([key, member]) => {
    if (!/^[A-Za-z_]\w*$/.test(key)) throw new Error(`expected a member with a name of Python, got ${key}`);
    const type = typeOf(member, name + camel(key), style, declared);
    return {
      isRequired: required.includes(key),
      text: `    ${key}: ${type}\n${docOf(linesOf(member), '    ')}`,
    };
  });
  const doc = docOf([description ?? schema.description ?? ''], '    ');
  const head = doc === '' ? '' : `${doc}\n`;
  const needed = members.filter(({ isRequired }) => isRequired).map(({ text }) => text);
  const optional = members.filter(({ isRequired }) => !isRequired).map(({ text }) => text);
  if (needed.length > 0 && optional.length > 0) {
    declared.push(`class _${name}Required(TypedDict):\n${needed.join('')}`);
    declared.push(`class ${name}(_${name}Required, total=False):\n${head}${optional.join('')}`);
  } else {
    const total = needed.length > 0 ? '' : ', total=False';
    declared.push(`class ${name}(TypedDict${total}):\n${head}${[...needed, ...optional].join('')}`);
  }
}

/** The lines of a field's comment: as in the types of the TypeScript client. */
function linesOf(schema: Schema): readonly string[] {
  if (schema.$ref !== undefined) return [];
  const media = schema['x-media'];
  const unit = schema['x-unit'];
  const known = { ...schema, ...(media && { media }), ...(unit !== undefined && { unit }) } as LineSchema;
  return linesOn(known).map(line =>
    line.replace(/^@default (.*)$/, (_, value: string) => `Default: ${pythonic(value)}.`),
  );
}

const pythonic = (value: string): string => ({ true: 'True', false: 'False', null: 'None' })[value] ?? value;

function docOf(lines: readonly string[], indent: string): string {
  const text = lines.filter(line => line !== '').join('\n\n');
  if (text === '') return '';
  const safe = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', '\\"\\"\\"')
    .replace(/"$/, '\\"')
    .replaceAll('\n\n', `\n\n${indent}`)
    .replaceAll(/(?<!\n)\n(?!\n)/g, `\n${indent}`);
  return `${indent}"""${safe}"""\n`;
}

const commentOf = (text: string | undefined): string =>
  text === undefined ? '' : `# ${text.replaceAll('\n', ' ')}\n`;

/** Without repetitions; None last. */
function unionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)].toSorted((a, b) => Number(a === 'None') - Number(b === 'None'));
  return distinct.length === 1 ? distinct[0]! : `Union[${distinct.join(', ')}]`;
}

/** One option of a union: named after its title where it has one. */
const optionName = (name: string, { title, type }: Schema, at: number): string =>
  type === 'object' && title !== undefined ? name + camel(title) : `${name}Option${at + 1}`;

const literal = (value: unknown): string =>
  value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);

const lastOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** `camera_control` and `Camera control` are CameraControl. */
export const camel = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
