/** Parameters of query and headers, as OpenAPI documents them. */

import type { Json } from '../answers/json-schema.ts';

/** A header with text. */
export const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

/** A query parameter. */
export const inQuery = (name: string, schema: Json): Json => ({ name, in: 'query', schema });

/** Size of a page. */
export const limitParameter = inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 });

/** What both lists of jobs can be filtered by. */
export const jobFilterParameters: readonly Json[] = [
  inQuery('external_task_id', { type: 'string' }),
  inQuery('status', { enum: ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'] }),
  limitParameter,
  inQuery('after', { type: 'string' }),
];

/** Waiting for a change of status. */
export const preferParameter = header(
  'Prefer',
  '`wait=N` delays the answer until the status changes or N seconds pass; more than 60 is 60, and `Preference-Applied` states what was applied.',
);
