import type { PublishedSchema, Schema } from '../api/answers.ts';

/** A published schema as the form draws it: a field that nobody touched is left out, so null needs no widget. */
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
