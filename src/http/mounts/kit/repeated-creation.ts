/** Recognises a repeated creation of a client that sends no Idempotency-Key, so that its retry makes no second job. */

import type { FastifyRequest } from 'fastify';
import { hashOfBody } from '../../../admission/gates/idempotency-key.ts';
import type { JsonObject } from '../../../body/json-body.ts';
import type { Model } from '../../../catalog/model.ts';
import { minutes, seconds } from '../../../domain/clock.ts';
import { uuidv7 } from '../../../domain/ids.ts';
import { isFinal } from '../../../domain/job.ts';
import type { Principal } from '../../../domain/key.ts';
import { findLatestOfKeys } from '../../../store/jobs/idempotency.ts';
import type { HttpContext } from '../../http-context.ts';

/** A creation without a key of its own. */
interface UnkeyedCreation {
  readonly principal: Principal;
  readonly model: Model;
  /** What makes it the same request: the input, and what was asked beside it. */
  readonly input: JsonObject;
  /** Whether the client waits for the result: then the same body again is its retry, until the result is old. */
  readonly isHeld: boolean;
}

/** The longest that a held request and its retries take together. */
const retryLifeMs = 10 * minutes;
/** How long after the end of a job the same body is still a retry, and not the wish for another result. */
const resultLifeMs = 60 * seconds;

/**
 * The Idempotency-Key of a creation: undefined where the client sent one. Otherwise a retry of an earlier creation gets
 * the key of that one. The same body is a retry where the SDK counts it as one (`x-stainless-retry-count`), and of a
 * held request also while its job runs and for a minute after its end.
 */
export async function idempotencyKeyOf(
  { db, clock }: Pick<HttpContext, 'db' | 'clock'>,
  { raw: { headers } }: FastifyRequest,
  { principal, model, input, isHeld }: UnkeyedCreation,
): Promise<string | undefined> {
  if (headers['idempotency-key'] !== undefined) return undefined;
  const now = clock.now();
  const keysBegin = `body:${await hashOfBody(input)}:`;
  const address = { userId: principal.userId, modelId: model.id };
  const isRetry = Number(headers['x-stainless-retry-count'] ?? 0) > 0;
  const mayRepeat = isHeld || isRetry;
  const earlier = mayRepeat ? await findLatestOfKeys(db, address, keysBegin, now - retryLifeMs) : null;
  if (earlier) {
    const { key, state, completedAt } = earlier;
    const isFresh = !isFinal(state) || (completedAt ?? 0) > now - resultLifeMs;
    if (isRetry || (isHeld && isFresh)) return key;
  }
  // Two at the same moment share the key of the minute, so that one of them becomes the job.
  return keysBegin + (isHeld ? Math.floor(now / resultLifeMs) : uuidv7(now));
}
