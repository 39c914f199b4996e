/** JSON Schema of the bodies we send, for OpenAPI and for the types of the client. */

import { z } from 'zod';

/** A piece of JSON Schema or of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** The name of a body: `meta({ id })` of its schema. Throws for a schema without one. */
export function nameOfBody(body: z.ZodType): string {
  const id = body.meta()?.id;
  if (id === undefined) throw new Error('expected the schema of a body to have an id: .meta({ id })');
  return id;
}

/** A reference to the schema of a body. `base` is where the schemas stand, such as `#/components/schemas/`. */
export const referenceTo = (body: z.ZodType, base: string): Json => ({ $ref: base + nameOfBody(body) });

/** The schemas of some bodies and of every named schema within them, by name. */
export function schemasOfBodies(bodies: Iterable<z.ZodType>, base: string): Readonly<Record<string, Json>> {
  const found: Record<string, Json> = {};
  for (const body of bodies) {
    nameOfBody(body);
    const { $defs = {} } = z.toJSONSchema(body, { io: 'input', override: dropSafeIntegerBounds });
    Object.assign(found, JSON.parse(JSON.stringify($defs).replaceAll('"#/$defs/', `"${base}`)));
  }
  return found;
}

/** An integer has these bounds in zod alone; in JSON they say nothing. */
function dropSafeIntegerBounds({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
