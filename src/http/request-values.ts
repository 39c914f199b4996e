/** Values of a request's path and query, by name. */

import type { FastifyRequest } from 'fastify';

/** One value of a query; undefined when it is absent or given more than once. */
export function queryValue(request: FastifyRequest, name: string): string | undefined {
  const value = queryOf(request)[name];
  return typeof value === 'string' ? value : undefined;
}

/** The parsed query: a string for each name, or a list where a name is repeated. */
export const queryOf = (request: FastifyRequest): Readonly<Record<string, unknown>> =>
  request.query as Readonly<Record<string, unknown>>;

/** A named segment of the path; throws where the route has no such name. */
export function pathValue(request: FastifyRequest, name: string): string {
  const value = (request.params as Readonly<Record<string, string>>)[name];
  if (value === undefined) throw new Error(`expected the path of this route to have ${name}`);
  return value;
}
