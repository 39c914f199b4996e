/** The list of requests that fal keeps, in which an operator looks for a call whose answer was lost. */

import { z } from 'zod';
import { minutes } from '../../domain/clock.ts';
import type { CandidateList, SubmissionCandidate } from '../../domain/provider.ts';
import { type ErrorTable, retryAfterOf } from '../kit/error-table.ts';
import { memberAt, readList, wellFormedJson } from '../kit/lookup.ts';
import { lenient } from '../kit/read-success.ts';
import { query, type Upstream } from '../kit/upstream.ts';

/** A call as it was sent: the endpoint, the JSON of its body, and when (epoch ms). */
export interface SentCall {
  readonly endpoint: string;
  readonly body: unknown;
  readonly sentAt: number;
}

/** Before and after the call: clocks differ, and a medium in the body takes its time. */
const windowMs = 1 * minutes;
/** Inputs with media in them are long, so pages are short. */
const pageSize = 25;
/** An endpoint with more requests since the call is too busy for a list to prove anything. */
const maxPages = 10;
/** Payloads of 25 requests with pictures in them. */
const maxPageBytes = 64 * 1024 * 1024;

/** https://fal.ai/docs/platform-apis/v1/models/requests/by-endpoint, with `expand=payloads`. */
const listed = z.object({
  request_id: z.string().min(1).max(200),
  sent_at: z.iso.datetime({ offset: true }).transform(text => Date.parse(text)),
  json_input: z.record(z.string(), z.unknown()),
});
/** Where a list goes on; the cursor is opaque. */
const page = z.object({ has_more: lenient(z.boolean()), next_cursor: lenient(z.string().min(1)) });

/**
 * Lists the requests of the same input from a minute before the call until now. The list may lag behind, and is sorted
 * by the end of requests: it proves no absence. `undecided` where a page cannot be read, or there are too many.
 */
export async function listSameInput(
  history: Upstream,
  call: SentCall,
  errors: ErrorTable,
): Promise<CandidateList> {
  const found = new Map<string, SubmissionCandidate>();
  let isWhole = true;
  let cursor: string | undefined;
  for (let place = 0; place < maxPages; place++) {
    const reply = await query(history, 'GET', pathOf(call, cursor), { maxAnswerBytes: maxPageBytes });
    const json = wellFormedJson(reply, errors);
    const items = readList(memberAt(json, 'items'), listed);
    if (!items) return { kind: 'undecided', ...retryAfterOf(reply) };
    isWhole &&= items.isWhole;
    for (const one of items.items) {
      const likeness = compareInputs(call.body, one.json_input);
      if (likeness !== 'other')
        found.set(one.request_id, {
          upstreamId: one.request_id,
          sentAt: one.sent_at,
          isNear: Math.abs(one.sent_at - call.sentAt) <= windowMs,
          isExact: likeness === 'same',
        });
    }
    const { has_more: hasMore, next_cursor: next } = page.safeParse(json).data ?? {};
    if (!hasMore) return { kind: 'listed', candidates: [...found.values()], isWhole };
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  return { kind: 'undecided' };
}

/** `end` is left out: a younger call of the same input has to be seen, too. */
function pathOf({ endpoint, sentAt }: SentCall, cursor: string | undefined): string {
  const wanted = new URLSearchParams({
    endpoint_id: endpoint,
    start: new Date(sentAt - windowMs).toISOString(),
    expand: 'payloads',
    limit: String(pageSize),
    ...(cursor !== undefined && { cursor }),
  });
  return `/v1/models/requests/by-endpoint?${wanted}`;
}

/** How like two inputs are. Addresses may differ: those of this gateway are signed anew, and fal stores media. */
type Likeness = 'same' | 'other media' | 'other';

/** An address, or bytes in a data URL. */
const isMedium = (text: string): boolean => /^(?:https?:|data:)/.test(text);

/** Compares JSON whatever the order of its members; null is absent. */
export function compareInputs(sent: unknown, seen: unknown): Likeness {
  if (Object.is(sent, seen)) return 'same';
  if (typeof sent === 'string' && typeof seen === 'string')
    return isMedium(sent) && isMedium(seen) ? 'other media' : 'other';
  if (typeof sent !== 'object' || typeof seen !== 'object' || !sent || !seen) return 'other';
  if (Array.isArray(sent) !== Array.isArray(seen)) return 'other';
  const names = namesIn(sent);
  if (names.join('\n') !== namesIn(seen).join('\n')) return 'other';
  const members = names.map(name => compareInputs(Reflect.get(sent, name), Reflect.get(seen, name)));
  if (members.includes('other')) return 'other';
  return members.includes('other media') ? 'other media' : 'same';
}

/** The names of members that have a value, in one order. */
const namesIn = (value: object): readonly string[] =>
  Object.entries(value)
    .flatMap(([name, member]) => (member === null || member === undefined ? [] : [name]))
    .toSorted();
