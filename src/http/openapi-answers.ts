import { type RefusalEntry, type RefusalName, refusals } from '../domain/refusal.ts';
import { codeOf } from '../domain/refusal-help.ts';
import type { Json } from './openapi-schemas.ts';

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
export const json = (schema: Json): Json => ({ 'application/json': { schema } });
export const answer = (description: string, schema: Json): Json => ({ description, content: json(schema) });

/** The answers of some refusals, joined where they share a status. */
export function refused(...names: readonly RefusalName[]): Json {
  const byStatus = Map.groupBy(names, name => refusals[name].status);
  return Object.fromEntries(
    [...byStatus].map(([status, sharing]) => {
      const entries: readonly RefusalEntry[] = sharing.map(name => refusals[name]);
      const shapes = [...new Set(entries.map(entry => bodies[entry.shape]))];
      const schema = shapes.length === 1 ? ref(shapes[0]!) : { anyOf: shapes.map(ref) };
      const sentences = entries.map(entry => entry.words.replace('{subject}', '…')).join(' · ');
      return [String(status), { ...answer(sentences, schema), headers: headersOf(sharing) }];
    }),
  );
}

/** Told by every refusal: a code that stays the same, which docs/errors.md explains. */
const headersOf = (names: readonly RefusalName[]): Json => ({
  'X-Error-Code': {
    description: 'Which refusal it is; codes do not change.',
    required: true,
    schema: { type: 'string', examples: [...new Set(names.map(codeOf))] },
  },
  ...(names.includes('model_unknown') && {
    'X-Suggestion': {
      description: 'The nearest model id, where one is near.',
      schema: { type: 'string' },
    },
  }),
});

const bodies: Readonly<Record<RefusalEntry['shape'], string>> = {
  gateway: 'GatewayError',
  detail: 'DetailError',
  file: 'FileError',
};
