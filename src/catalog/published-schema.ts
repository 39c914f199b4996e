/** The JSON Schema of a model as clients see it. */

import { z } from 'zod';

/** A JSON object, of which nothing else is known. */
type Json = Readonly<Record<string, unknown>>;
/** What the generator returns. */
type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The JSON Schema of what a model takes. Decisions 9: null in a field that may be left out is the same as leaving it
 * out, so such a field is nullable; "" and [] are too, which the documents say and no schema.
 */
export const publishedSchema = (schema: z.ZodObject): JsonSchema =>
  withNulls(
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      // What a field means concerns engines, not clients.
      override: ({ jsonSchema }) => {
        delete jsonSchema.means;
      },
    }),
  ) as JsonSchema;

/** Walks objects, lists and unions; every other keyword stays as it is. */
function withNulls(schema: unknown): unknown {
  if (!isJson(schema)) return schema;
  const { properties, required, items, anyOf, oneOf } = schema;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return {
    ...schema,
    ...(isJson(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => {
          const inner = withNulls(member);
          return [name, names.includes(name) ? inner : orNull(inner)];
        }),
      ),
    }),
    ...(isJson(items) && { items: withNulls(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(withNulls) }),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map(withNulls) }),
  };
}

/** In the schema itself, so that its bounds and hints stay where every reader looks for them. */
function orNull(schema: unknown): unknown {
  if (!isJson(schema)) return schema;
  const { type, const: only, anyOf, ...rest } = schema;
  if (Array.isArray(anyOf)) {
    const takesNull = anyOf.some(option => isJson(option) && option.type === 'null');
    return takesNull ? schema : { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  }
  const values = only === undefined ? rest.enum : [only];
  return {
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...rest,
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
}

/** Lists are not objects here. */
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
