/** Gate: the Idempotency-Key is well-formed; hashes the body that it stands for. */
import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { JsonObject } from '../../body/json-body.ts';
import { toJson } from '../../domain/json.ts';
import { refuse } from '../../domain/refusal.ts';
import { type BodyDraft, headerOf, type IdempotencyDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** 422 of a malformed key. The hash lets a replay with another body be refused. */
export const readIdempotencyKey: Gate<BodyDraft, Pick<IdempotencyDraft, 'idempotency'>> = (
  _context,
  draft,
) => {
  const key = draft.request.asked?.idempotencyKey ?? headerOf(draft.request, 'idempotency-key');
  if (key === undefined) return { ...draft, idempotency: null };
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw refuse('input_invalid', {
      subject: 'Idempotency-Key: must be 1 to 255 printable ASCII characters',
      fields: ['Idempotency-Key'],
    });
  }
  return hashOfBody(draft.body).then(hash => ({ ...draft, idempotency: { key, hash } }));
};

/** The hash that stands for a body, in hexadecimal. */
export const hashOfBody = (body: JsonObject): Promise<string> => hashOf(toJson(sortKeys(body)));

/** Hashed between two turns of the event loop, so that a large body delays no other request. */
const hashChunkBytes = 1024 * 1024;

async function hashOf(text: string): Promise<string> {
  const hash = createHash('sha256');
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += hashChunkBytes) {
    if (at > 0) await yieldToEventLoop();
    hash.update(bytes.subarray(at, at + hashChunkBytes));
  }
  return hash.digest('hex');
}

/** Bodies are compared as parsed JSON: the order of keys makes no difference. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sortKeys(member)]),
  );
}
