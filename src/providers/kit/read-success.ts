import { z } from 'zod';
import type { PollResult, Production } from '../../domain/provider.ts';
import { type ErrorTable, failureOf, unreadableError } from './error-table.ts';
import { type ParsedList, readList } from './lookup.ts';
import type { UpstreamReply } from './upstream.ts';

/** A value that nothing depends on: null, and what it should not be, are read as absent. */
export const lenient = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .catch(null)
    .transform(value => value ?? undefined);

/** An address of a result. */
export const resultUrl = z.url({ protocol: /^https?$/ });

/** The results at one place of an answer, one or a list: an odd one never loses the others. */
export function readResults<Item>(value: unknown, item: z.ZodType<Item>): ParsedList<Item> {
  const list = value === null || value === undefined ? [] : Array.isArray(value) ? value : [value];
  return readList(list, item) ?? { items: [], isWhole: false };
}

/**
 * How a run ended that the upstream calls a success, and therefore charges. Where it names results and none can be
 * read, the job is not asked about until its deadline: it is named to the operator with the answer.
 */
export function readSuccess(
  reply: UpstreamReply,
  { production, isWhole }: { readonly production: Production; readonly isWhole: boolean },
  errors: ErrorTable,
): PollResult {
  if (production.files.some(({ role }) => role === 'primary')) {
    const notes = isWhole ? [] : ['The upstream names results that cannot be read; the others are here'];
    return { kind: 'succeeded', production: isWhole ? production : { ...production, notes } };
  }
  const { usage = [] } = production;
  if (!isWhole) return { kind: 'unreadable', error: unreadableError(reply), usage };
  const nothing = { code: null, message: 'the upstream ended without a result' };
  return { kind: 'failed', error: failureOf(nothing, errors), usage };
}
