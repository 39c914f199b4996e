/** A value of a required field for the example of a model. */

import { z } from 'zod';
import type { ResolvedSchema } from './published-schema.ts';

/** Characters of an example; longer published ones make a form hard to read. */
const maxExampleLength = 500;

/** What of a written property decides its example. */
const written: z.ZodType<Written> = z.lazy(() =>
  z.looseObject({
    type: z.string(),
    media: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    minimum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minItems: z.number().optional(),
    items: z.unknown().optional(),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  }),
);
/** The same, named because lists and groups refer to it. */
interface Written {
  readonly type: string;
  readonly media?: string | undefined;
  readonly enum?: unknown[] | undefined;
  readonly minimum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly items?: unknown;
  readonly properties?: Record<string, unknown> | undefined;
  readonly required?: string[] | undefined;
}

/** Addresses that are reserved for documents (RFC 2606): the example is valid, and is not meant to be run. */
const addresses: Readonly<Record<string, string>> = {
  image: 'https://example.com/picture.png',
  video: 'https://example.com/video.mp4',
  audio: 'https://example.com/sound.mp3',
};

/** A valid value: the published example of a text where it has one, else the simplest. */
export function exampleOf(
  property: unknown,
  schema: Pick<ResolvedSchema, 'examples'>,
  name: string,
): unknown {
  const read = written.parse(property);
  switch (read.type) {
    case 'string':
      return textExample(read, schema, name);
    case 'integer':
    case 'number':
      return read.enum?.[0] ?? numberExample(read);
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: read.minItems ?? 1 }, () => exampleOf(read.items, {}, name));
    default:
      return Object.fromEntries(
        (read.required ?? []).map(member => [member, exampleOf(read.properties?.[member], {}, member)]),
      );
  }
}

/** An address for a medium, the first of named values, a published text within the bounds, or a made-up one. */
function textExample(
  read: Written,
  { examples = [] }: Pick<ResolvedSchema, 'examples'>,
  name: string,
): unknown {
  if (read.media !== undefined) return addresses[read.media];
  if (read.enum) return read.enum[0];
  const { minLength = 0, maxLength = maxExampleLength } = read;
  const published = examples.find(
    one =>
      typeof one === 'string' &&
      one.length >= minLength &&
      one.length <= Math.min(maxLength, maxExampleLength),
  );
  const usual = /prompt|text/.test(name) ? 'A red fox in the snow' : name;
  return published ?? usual.padEnd(minLength, '.').slice(0, maxLength);
}

/** The least value that the bounds allow; 1 where there is no lower one. */
function numberExample({ type, minimum, exclusiveMinimum, maximum }: Written): number {
  const least =
    minimum ?? (exclusiveMinimum === undefined ? 1 : exclusiveMinimum + (type === 'integer' ? 1 : 0.1));
  return maximum !== undefined && least > maximum ? maximum : least;
}
