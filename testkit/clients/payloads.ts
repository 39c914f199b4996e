/** Generators of bodies that a model accepts, and of mutants that it refuses. */
import fc from 'fast-check';
import { describe } from '../../src/catalog/describe.ts';
import type { Faults } from '../../src/catalog/faults.ts';
import type { MediaLimits } from '../../src/catalog/media.ts';
import type { Model } from '../../src/catalog/model.ts';

/** The part of JSON Schema that descriptions use. */
interface Schema {
  /** A field that may be left out may be null, too. */
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  /** Objects that are distinguished by the constant of their member `type`. */
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly media?: MediaLimits;
  readonly contentMediaType?: string;
}

/** A body that breaks its schema in one place. */
export interface Mutant {
  readonly path: string;
  readonly body: unknown;
}

/** Bodies that the description of a model allows and no rule forbids. */
export function soundBodies(model: Model): fc.Arbitrary<unknown> {
  return valuesOf(schemaOf(model)).filter(body =>
    faultsOf(model, body).every(fault => !isOfRule(model, fault)),
  );
}

/** Bodies that are sound but for one place, which is named. */
export const mutants = (model: Model): fc.Arbitrary<Mutant> =>
  soundBodies(model).chain(body => {
    const unused = unusedFields(model, body);
    return fc.constantFrom(
      ...mutantsOf(schemaOf(model), body).filter(({ path }) => !unused.has(path.split('.')[0] ?? '')),
    );
  });

/** What a switch makes unused is not validated: fields of the body that its parsed input has not. */
function unusedFields(model: Model, body: unknown): ReadonlySet<string> {
  const parsed = model.parse(body);
  return new Set(fieldsOf(body)).difference(new Set(parsed.ok ? fieldsOf(parsed.input) : fieldsOf(body)));
}

const fieldsOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [];

const schemas = new Map<Model, Schema>();

/** The published schema, converted once: a property needs it for each of its bodies. */
function schemaOf(model: Model): Schema {
  const schema = schemas.get(model) ?? (describe(model).input_schema as Schema);
  schemas.set(model, schema);
  return schema;
}

export function faultsOf(model: Model, body: unknown): Faults {
  const parsed = model.parse(body);
  return parsed.ok ? [] : parsed.faults;
}

const isOfRule = (model: Model, { reason }: Faults[number]): boolean =>
  model.rules.some(rule => rule.says === reason);

const isNullable = ({ type, anyOf }: Schema): boolean =>
  (Array.isArray(type) && type.includes('null')) || (anyOf ?? []).some(option => option.type === 'null');

/** The same without null, which means a field that is left out. */
function withoutNull(schema: Schema): Schema {
  const { type, enum: words, anyOf, ...rest } = schema;
  const types = typeof type === 'object' ? type.filter(one => one !== 'null') : type;
  return {
    ...rest,
    ...(types !== undefined && { type: typeof types === 'object' ? types[0]! : types }),
    ...(words && { enum: words.filter(word => word !== null) }),
    ...(anyOf && { anyOf: anyOf.filter(option => option.type !== 'null') }),
  };
}

function valuesOf(given: Schema): fc.Arbitrary<unknown> {
  if (isNullable(given))
    return fc.oneof(
      { weight: 4, arbitrary: valuesOf(withoutNull(given)) },
      { weight: 1, arbitrary: fc.constantFrom(null, '', []) },
    );
  const schema = given;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return fc.oneof(...options.map(valuesOf));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return fc.record(
        Object.fromEntries(membersOf(schema).map(([name, member]) => [name, valuesOf(member)])),
        {
          requiredKeys: [...(schema.required ?? [])],
        },
      );
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: schema.maxItems ?? 3,
      });
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 2 ** 31 - 1 });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return stringsOf(schema);
    default:
      throw new Error(`expected a schema that can be drawn from, got ${JSON.stringify(schema)}`);
  }
}

function stringsOf({
  media,
  format,
  pattern,
  contentMediaType,
  minLength = 0,
  maxLength = 1e9,
}: Schema): fc.Arbitrary<string> {
  if (contentMediaType) return fc.json();
  if (media) return fc.constantFrom('https://files.test/a', 'file_0123456789abcdefghijABCD');
  if (format === 'uri') return fc.constant('https://client.test/hook?a=1');
  if (pattern) return fc.stringMatching(new RegExp(pattern), { maxLength: 40 });
  const free = fc
    .string({ unit: 'binary', maxLength: Math.min(40, maxLength - 1) })
    .map(text => text.replace(/\p{Cc}/gu, '.'));
  const whole = fc.constant('海'.repeat(Math.min(maxLength, 20_000)));
  return fc.oneof(
    { weight: 9, arbitrary: minLength > 0 ? free.map(text => `x${text}`) : free },
    { weight: 1, arbitrary: whole },
  );
}

/** Each breaks the schema in one place. */
function mutantsOf(given: Schema, value: unknown, path: readonly string[] = []): readonly Mutant[] {
  const here = path.join('.');
  const mayBeLeftOut = isNullable(given);
  const schema = withoutNull(given);
  if (mayBeLeftOut && isLeftOut(value))
    return [{ path: here, body: { no: 'object' } }].filter(() => schema.type !== 'object');
  const wrong = (body: unknown): Mutant => ({ path: here, body });
  const isWrong = ({ path, body }: Mutant) => !(mayBeLeftOut && path === here && isLeftOut(body));
  return allMutantsOf(schema, value, path, wrong).filter(isWrong);
}

const isLeftOut = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

function allMutantsOf(
  schema: Schema,
  value: unknown,
  path: readonly string[],
  wrong: (body: unknown) => Mutant,
): readonly Mutant[] {
  if (schema.anyOf || schema.const !== undefined || schema.enum)
    return [wrong('no such word'), wrong({ no: 'object' })];
  if (schema.oneOf) {
    const { type } = value as { readonly type: unknown };
    const option = schema.oneOf.find(({ properties }) => properties?.type?.const === type);
    return mutantsOf(option ?? {}, value, path);
  }
  const { minimum, maximum, maxLength, minItems = 0, maxItems } = schema;
  switch (schema.type) {
    case 'object': {
      const given = value as Readonly<Record<string, unknown>>;
      const unknownField = { path: [...path, 'qqqqqqqqqqqq'].join('.'), body: { ...given, qqqqqqqqqqqq: 1 } };
      const lacking = (schema.required ?? []).map(name => ({
        path: [...path, name].join('.'),
        body: Object.fromEntries(Object.entries(given).filter(([key]) => key !== name)),
      }));
      const inner = membersOf(schema)
        .filter(([name]) => name in given)
        .flatMap(([name, member]) =>
          mutantsOf(member, given[name], [...path, name]).map(mutant => ({
            ...mutant,
            body: { ...given, [name]: mutant.body },
          })),
        );
      return [...(path.length > 0 ? [wrong('text'), wrong(null)] : []), unknownField, ...lacking, ...inner];
    }
    case 'array': {
      const items = value as readonly unknown[];
      const inner = items.flatMap((item, index) =>
        mutantsOf(schema.items ?? {}, item, [...path, String(index)]).map(mutant => ({
          ...mutant,
          body: items.with(index, mutant.body),
        })),
      );
      const long =
        maxItems !== undefined && items.length > 0
          ? [wrong(Array.from({ length: maxItems + 1 }, () => items[0]))]
          : [];
      return [wrong({}), wrong(null), ...(minItems > 0 ? [wrong([])] : []), ...long, ...inner];
    }
    case 'integer':
    case 'number': {
      const fraction = schema.type === 'integer' ? [wrong(0.5)] : [];
      const beyond = [
        ...(minimum === undefined ? [] : [minimum - 1]),
        ...(maximum === undefined ? [] : [maximum + 1]),
      ];
      return [wrong('1'), wrong(true), wrong(null), ...fraction, ...beyond.map(wrong)];
    }
    case 'boolean':
      return [wrong('true'), wrong(1), wrong(null)];
    default: {
      const empty = schema.minLength || schema.media || schema.format ? [wrong('')] : [];
      return [
        wrong(5),
        wrong(null),
        wrong(['a']),
        ...empty,
        ...(schema.contentMediaType ? [wrong('{'), wrong('{a:1}')] : []),
        ...(maxLength ? [wrong('𝒳'.repeat(maxLength + 1))] : []),
      ];
    }
  }
}

function membersOf(schema: Schema): readonly (readonly [string, Schema])[] {
  return Object.entries(schema.properties ?? {});
}
