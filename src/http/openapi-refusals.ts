/** The part of an OpenAPI operation that refusals make: their answers, by status. */

import { errorBodies } from '../answers/error-bodies.ts';
import { type Json, referenceTo } from '../answers/json-schema.ts';
import { type RefusalEntry, type RefusalName, refusals } from '../domain/refusal.ts';
import { codeOf } from '../domain/refusal-help.ts';

/** Where the schemas of an OpenAPI document stand. */
export const schemasBase = '#/components/schemas/';

/** The content of an answer or a request in JSON. */
export const jsonContent = (schema: Json): Json => ({ 'application/json': { schema } });

/** The answers of some refusals, joined where they share a status. */
export function refusalAnswers(names: Iterable<RefusalName>): Json {
  const byStatus = Map.groupBy(names, name => refusals[name].status);
  return Object.fromEntries(
    [...byStatus].map(([status, sharing]) => {
      const entries: readonly RefusalEntry[] = sharing.map(name => refusals[name]);
      const shapes = [...new Set(entries.map(({ shape }) => shape))];
      const bodies = shapes.map(shape => referenceTo(errorBodies[shape], schemasBase));
      const sentences = new Set(entries.map(entry => entry.words.replace('{subject}', '…')));
      return [
        String(status),
        {
          description: [...sentences].join(' · '),
          headers: headersOf(sharing),
          content: jsonContent(bodies.length === 1 ? bodies[0]! : { anyOf: bodies }),
        },
      ];
    }),
  );
}

/** Every refusal has a code that stays the same, which docs/errors.md explains. */
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
