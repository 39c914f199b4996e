/** Reads the results of a run that the upstream calls a success. */

import { z } from 'zod';
import type { PollResult, ProducedFile, Production } from '../../domain/provider.ts';
import { type ErrorTable, failureOf, unreadableError } from './error-table.ts';
import { type ParsedList, readList } from './lookup.ts';
import type { UpstreamReply } from './upstream.ts';

/** An optional value of an answer: null, and a value of another type, are read as absent. */
export const lenient = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .catch(null)
    .transform(value => value ?? undefined);

/** An address of a result. */
export const resultUrl = z.url({ protocol: /^https?$/ });

/** A produced file at an address; by default the only one of its role, of a type that the fetched bytes decide. */
export const fileAt = (
  url: string,
  {
    role = 'primary',
    index = 0,
    mimeType = 'application/octet-stream',
  }: Partial<Pick<ProducedFile, 'role' | 'index' | 'mimeType'>> = {},
): ProducedFile => ({ role, index, mimeType, source: { kind: 'url', url } });

/** The results at one path of an answer, one or a list: an unreadable item never loses the others. */
export function readResults<Item>(value: unknown, item: z.ZodType<Item>): ParsedList<Item> {
  const list = value === null || value === undefined ? [] : Array.isArray(value) ? value : [value];
  return readList(list, item) ?? { items: [], isWhole: false };
}

/**
 * The result of a run that the upstream calls a success, and therefore charges. Where it names results and none can be
 * read, the result is `unreadable`: the job is not polled until its deadline, and the operator gets the answer.
 */
export function readSuccess(
  reply: UpstreamReply,
  { production, isWhole }: { readonly production: Production; readonly isWhole: boolean },
  errors: ErrorTable,
): PollResult {
  if (production.files.some(({ role }) => role === 'primary')) {
    const notes = isWhole ? [] : ['Some results of the upstream could not be read; the others were stored'];
    return { kind: 'succeeded', production: isWhole ? production : { ...production, notes } };
  }
  const { usage = [] } = production;
  if (!isWhole) return { kind: 'unreadable', error: unreadableError(reply), usage };
  const nothing = { code: null, message: 'the upstream ended without a result' };
  return { kind: 'failed', error: failureOf(nothing, errors), usage };
}
