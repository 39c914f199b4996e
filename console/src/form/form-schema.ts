/** From the published JSON Schema of a model to the schema that a form draws. */
import type { PublishedSchema, Schema } from '../api/input-schema.ts';

/** Removes null from types and alternatives: an unset field is not sent, so a form has no widget for null. */
export function formSchema({ type, enum: words, ...schema }: PublishedSchema): Schema {
  const types = typeof type === 'string' ? [type] : (type ?? []);
  const [named] = types.filter(one => one !== 'null');
  const { properties, items, oneOf, anyOf, ...rest } = schema;
  return {
    ...rest,
    ...(types.length > 0 && { type: named ?? 'null' }),
    ...(words && { enum: words.filter(word => word !== null) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, formSchema(member)]),
      ),
    }),
    ...(items && { items: formSchema(items) }),
    ...(oneOf && { oneOf: oneOf.map(formSchema) }),
    ...(anyOf && { anyOf: anyOf.filter(option => option.type !== 'null').map(formSchema) }),
  };
}
