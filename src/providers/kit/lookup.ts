/** Lookups of a submission whose outcome is unknown: whether the upstream has it, by what a provider reads. */

import { z } from 'zod';
import type { RecoverResult } from '../../domain/provider.ts';
import { type ErrorTable, retryAfterOf, type UpstreamError } from './error-table.ts';
import type { UpstreamReply } from './upstream.ts';

/** How the answer to a lookup is read. */
export interface LookupOptions {
  readonly errors: ErrorTable;
  /** Reads a good answer: the ref; null where it proves that there is none; undefined where it proves nothing. */
  readonly read: (json: unknown) => object | null | undefined;
  /** Whether an error states that the upstream has no such call. Default: no error does. */
  readonly isNotFound?: (error: UpstreamError, status: number) => boolean;
}

/**
 * Reads the answer to a lookup. A second charge may follow from `absent`, so only a well-formed answer proves absence:
 * HTML, an error, or an answer with an unreadable item is `undecided`.
 */
export function readLookup(reply: UpstreamReply, { errors, read, isNotFound }: LookupOptions): RecoverResult {
  const error = reply.kind === 'answered' ? errors.read(reply.json, reply.headers) : null;
  if (error && reply.kind === 'answered' && isNotFound?.(error, reply.status)) return { kind: 'absent' };
  const json = wellFormedJson(reply, errors);
  const ref = json === undefined ? undefined : read(json);
  if (ref === undefined) return undecided(reply);
  return ref === null ? { kind: 'absent' } : { kind: 'found', ref };
}

/** The JSON of an answer that may prove something: status 200, and no error in it. Undefined for every other reply. */
export const wellFormedJson = (reply: UpstreamReply, errors: ErrorTable): unknown =>
  reply.kind === 'answered' && reply.status === 200 && !errors.read(reply.json, reply.headers)
    ? reply.json
    : undefined;

/** The lookup is repeated, after the wait that the upstream asks for. */
export const undecided = (reply: UpstreamReply): RecoverResult => ({
  kind: 'undecided',
  ...retryAfterOf(reply),
});

/** The readable items of a list. */
export interface ParsedList<Item> {
  readonly items: readonly Item[];
  /** False where an item could not be read: it may be the wanted one, so the list proves no absence. */
  readonly isWhole: boolean;
}

/** The items of a list, each read by itself; null for a value that is not a list, which proves nothing. */
export function readList<Item>(list: unknown, item: z.ZodType<Item>): ParsedList<Item> | null {
  if (!Array.isArray(list)) return null;
  const items = list
    .map(one => item.safeParse(one))
    .flatMap(({ data }) => (data === undefined ? [] : [data]));
  return { items, isWhole: items.length === list.length };
}

/** An object of any members; a list or a text is none. */
const members = z.record(z.string(), z.unknown());

/** The value at a path of an answer; undefined where a member is missing. */
export const memberAt = (json: unknown, ...names: readonly string[]): unknown =>
  names.reduce((value: unknown, name) => members.safeParse(value).data?.[name], json);
