/** The query parameters of the lists of jobs. */

import type { FastifyRequest } from 'fastify';
import { parseJobId } from '../domain/ids.ts';
import type { JobStatus } from '../domain/job.ts';
import { refuse } from '../domain/refusal.ts';
import { queryOf, queryValue } from './request-values.ts';

/** Jobs of a page, unless the query has a `limit`. */
const defaultLimit = 20;
/** A page is one statement, and its answer is built in one turn of the event loop. */
const maxLimit = 100;

/** The size of a page of a user's own jobs or callbacks; refuses parameters that are given twice. */
export function readPageQuery(request: FastifyRequest): { readonly limit: number } {
  for (const name of Object.keys(queryOf(request))) {
    if (queryValue(request, name) === undefined) refuseQuery(name, 'must be given once');
  }
  const limit = queryValue(request, 'limit') ?? String(defaultLimit);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxLimit) {
    refuseQuery('limit', `must be between 1 and ${maxLimit}`);
  }
  return { limit: Number(limit) };
}

/** The query of both lists of a user's jobs. */
export function readJobQuery(request: FastifyRequest) {
  const { limit } = readPageQuery(request);
  const status = queryValue(request, 'status') ?? null;
  if (status !== null && !isStatus(status)) refuseQuery('status', `must be one of ${statuses.join(', ')}`);
  const externalTaskId = queryValue(request, 'external_task_id') ?? null;
  // No job has such an id, and not every database accepts it in a query.
  if (externalTaskId !== null && /\p{Cc}/u.test(externalTaskId)) {
    refuseQuery('external_task_id', 'must be without control characters');
  }
  const after = queryValue(request, 'after');
  const afterId =
    after === undefined ? null : (parseJobId(after) ?? refuseQuery('after', 'must be a request_id'));
  return { externalTaskId, status, after: afterId, limit };
}

/** Public words: a client never sees the five states of rows. */
const statuses: readonly JobStatus[] = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'];
/** Whether a text is one of the public statuses. */
const isStatus = (text: string): text is JobStatus => statuses.some(status => status === text);

/** Throws a 422 that names the parameter. */
export function refuseQuery(name: string, reason: string): never {
  throw refuse('input_invalid', { subject: `${name}: ${reason}`, fields: [name] });
}
