/** Reads the results of a run that the upstream calls a success. */

import { z } from 'zod';
import type { PollResult, ProducedFile, Production } from '../../domain/provider.ts';
import { type ErrorTable, failureOf, type UpstreamError, unreadableError } from './error-table.ts';
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

/** What was read of a result. */
export interface ReadProduction {
  readonly production: Production;
  /** False where a result could not be read: it is never reported as a run without one. */
  readonly isWhole: boolean;
}

/** Whether there is a result to store: companions such as a cover are none. */
export const hasResult = ({ production }: ReadProduction): boolean =>
  production.files.some(({ role }) => role === 'primary');

/** What was read, with a sentence for the timeline of the job where that is not all. */
export const notedProduction = ({ production, isWhole }: ReadProduction): Production =>
  isWhole
    ? production
    : { ...production, notes: ['Some results of the upstream could not be read; the others were stored'] };

/**
 * The result of a run that the upstream calls a success, and therefore charges. Where it names results and none can be
 * read, the result is `unreadable`: the job is not polled until its deadline, and the operator gets the answer.
 * `nothing` is the failure of a run that names no result.
 */
export function readSuccess(
  reply: UpstreamReply,
  read: ReadProduction,
  errors: ErrorTable,
  nothing: UpstreamError = { code: null, message: 'the upstream ended without a result' },
): PollResult {
  const { isWhole } = read;
  if (hasResult(read)) return { kind: 'succeeded', production: notedProduction(read) };
  const { usage = [] } = read.production;
  if (!isWhole) return { kind: 'unreadable', error: unreadableError(reply), usage };
  return { kind: 'failed', error: failureOf(nothing, errors), usage };
}
