/** Reading the query parameters of the admin API. */

import type { FastifyRequest } from 'fastify';
import { parseTime } from '../../domain/clock.ts';
import { queryOf, queryValue } from '../request-values.ts';
import { refuseField } from './admin-body.ts';

/** Lines of one page of any list of the admin API. */
const maxLimit = 100;

/** Refuses a query that says something twice, or something that this list does not know. */
export function refuseUnknownQuery(request: FastifyRequest, names: readonly string[]): void {
  for (const name of Object.keys(queryOf(request))) {
    if (!names.includes(name)) refuseField(name, 'unknown field');
    if (queryValue(request, name) === undefined) refuseField(name, 'must be given once');
  }
}

/** The size of a page; `usual` where the query has none. */
export function limitOf(request: FastifyRequest, usual: number): number {
  const limit = queryValue(request, 'limit') ?? String(usual);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxLimit)
    refuseField('limit', `must be between 1 and ${maxLimit}`);
  return Number(limit);
}

/** Words to look for; null when absent or blank. */
export function searchTextOf(request: FastifyRequest, name: string): string | null {
  const words = queryValue(request, name)?.trim() ?? '';
  // Nothing has such a name, and not every database accepts it in a query.
  if (/\p{Cc}/u.test(words)) refuseField(name, 'must be without control characters');
  if (words.length > 300) refuseField(name, 'must be at most 300 characters');
  return words === '' ? null : words;
}

/** One of a few words; null when absent. */
export function choiceOf<const Word extends string>(
  request: FastifyRequest,
  name: string,
  words: readonly Word[],
): Word | null {
  const given = queryValue(request, name);
  if (given === undefined || given === '') return null;
  return words.find(word => word === given) ?? refuseField(name, `must be one of ${words.join(', ')}`);
}

/** A time of the query in epoch ms; null where it is absent. */
export function timeOf(request: FastifyRequest, name: string): number | null {
  const given = queryValue(request, name);
  if (given === undefined || given === '') return null;
  return parseTime(given) ?? refuseField(name, 'must be a time: ISO 8601 or Unix seconds');
}
