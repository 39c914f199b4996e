import { z } from 'zod';
import type { RecoverResult } from '../../domain/provider.ts';
import { type ErrorTable, retryAfterOf, type UpstreamError } from './error-table.ts';
import type { UpstreamReply } from './upstream.ts';

/** How the answer to a look-up is read. A ref is an object. */
export interface LookupOptions {
  readonly errors: ErrorTable;
  /** What a good answer says: the ref, null where it proves that there is none, undefined where it proves nothing. */
  readonly read: (json: unknown) => object | null | undefined;
  /** Whether an error is the upstream's own word that it has no such call; without it no error is. */
  readonly isNotFound?: (said: UpstreamError, status: number) => boolean;
}

/**
 * The law of every look-up, because a second charge may follow from `absent`: absence is believed only from a
 * well-formed answer. A page, an error, a gap in the answer: all of them are `undecided`.
 */
export function readLookup(reply: UpstreamReply, { errors, read, isNotFound }: LookupOptions): RecoverResult {
  const said = reply.kind === 'answered' ? errors.read(reply.json, reply.headers) : null;
  if (said && reply.kind === 'answered' && isNotFound?.(said, reply.status)) return { kind: 'absent' };
  const json = wellFormedJson(reply, errors);
  const ref = json === undefined ? undefined : read(json);
  if (ref === undefined) return undecided(reply);
  return ref === null ? { kind: 'absent' } : { kind: 'found', ref };
}

/** The JSON of an answer that may prove something: 200, and no error in it. Undefined for every other. */
export const wellFormedJson = (reply: UpstreamReply, errors: ErrorTable): unknown =>
  reply.kind === 'answered' && reply.status === 200 && !errors.read(reply.json, reply.headers)
    ? reply.json
    : undefined;

/** The same question again, when the upstream wants to hear it. */
export const undecided = (reply: UpstreamReply): RecoverResult => ({
  kind: 'undecided',
  ...retryAfterOf(reply),
});

export interface ParsedList<Item> {
  readonly items: readonly Item[];
  /** False where an item could not be read: it may be the one that is looked for, so nothing is absent. */
  readonly isWhole: boolean;
}

/** The items of a list, each read by itself; null for what is no list, which proves nothing. */
export function readList<Item>(list: unknown, item: z.ZodType<Item>): ParsedList<Item> | null {
  if (!Array.isArray(list)) return null;
  const items = list
    .map(one => item.safeParse(one))
    .flatMap(({ data }) => (data === undefined ? [] : [data]));
  return { items, isWhole: items.length === list.length };
}

const members = z.record(z.string(), z.unknown());

/** What stands at a place of an answer; undefined where there is no such place. */
export const memberAt = (json: unknown, ...names: readonly string[]): unknown =>
  names.reduce((value: unknown, name) => members.safeParse(value).data?.[name], json);
