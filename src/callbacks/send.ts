// Sends one callback (webhook): one signed POST to the address that a client gave, and the outcome of that attempt.
import type { Logger } from 'pino';
import { readCallbackContent } from '../answers/callback-content.ts';
import type { JobBodyContext } from '../answers/job-bodies.ts';
import { seconds } from '../domain/clock.ts';
import { type Delivery, type DeliveryAttemptOutcome, webhookHeaders } from '../domain/delivery.ts';
import { deliveryOutcomeOf } from '../domain/delivery-retry.ts';
import type { DeliveryId, UserId } from '../domain/ids.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { Outbound } from '../media/outbound.ts';
import type { CallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import type { DeliveryAttemptResult } from '../store/callbacks/deliveries.ts';
import type { Connection } from '../store/db/connection.ts';

/** The dependencies of the dispatcher. */
export interface CallbackContext extends JobBodyContext {
  readonly db: Connection;
  readonly callbackSecrets: CallbackSecrets;
  /** Checks the address of the receiver again with each connection. */
  readonly outbound: Outbound;
  /** For the address that the operator wrote, which may be a private one. */
  readonly trustedOutbound: Outbound;
  readonly tracing: Tracing;
  readonly log: Logger;
  /** Called for every attempt with an outcome. */
  readonly onAttempt: (outcome: DeliveryAttemptOutcome['kind']) => void;
}

/** Decisions 5: for connection, request and answer in all. */
const attemptTimeoutMs = 15 * seconds;
/** An answer is read up to here. */
const maxAnswerBytes = 4 * 1024;
/** An answer is stored up to here. */
const maxStoredBytes = 512;

/** Read the body → sign → post → classify the answer. An attempt that the signal aborts is released, not counted. */
export async function sendCallback(
  context: CallbackContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryAttemptResult> {
  const { clock } = context;
  const startedAt = clock.now();
  // The row of the attempt: its delivery, its number, how long it took, and what was answered.
  const end = (
    outcome: DeliveryAttemptOutcome,
    answer: string,
    { code = null, endedAt = clock.now() }: { readonly code?: number | null; readonly endedAt?: number } = {},
  ): DeliveryAttemptResult => ({
    id: delivery.id,
    number: delivery.attempts,
    startedAt,
    tookMs: endedAt - startedAt,
    code,
    answer,
    outcome,
  });
  const release = (reason: string) => end({ kind: 'given_back', dueAt: clock.now() }, reason);

  const content = await readCallbackContent(context, delivery);
  if (content.kind === 'superseded') return release('Not sent: superseded, the job is already final.');
  if (content.kind === 'job_deleted') return end({ kind: 'failed' }, 'Not sent: the job no longer exists.');
  const { callbackSecrets } = context;
  const outbound = delivery.jobId === null ? context.trustedOutbound : context.outbound;
  const post = { ...delivery, body: content.body };
  const sent = await postSigned({ callbackSecrets, outbound }, post, { signal, now: startedAt });
  if (sent.kind === 'unanswered' && signal.aborted) return release(sent.answer);
  const received = sent.kind === 'answered' ? sent : null;
  // Read once: the next attempt is due exactly so long after the end of this one.
  const endedAt = clock.now();
  const outcome = deliveryOutcomeOf(delivery, received, endedAt, Math.random());
  return end(outcome, sent.answer, { code: received?.code ?? null, endedAt });
}

/** What is posted, and for whom. */
export interface SignedPost {
  /** The `webhook-id`. */
  readonly id: DeliveryId;
  readonly userId: UserId;
  readonly url: string;
  readonly body: string;
}

/** The answer of a receiver, or why there is none. */
export type PostAnswer =
  | {
      readonly kind: 'answered';
      readonly code: number;
      /** First bytes of the body. */
      readonly answer: string;
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'unanswered'; readonly answer: string };

/** One guarded POST with the headers of Standard Webhooks. Never rejects for what the receiver does. */
export async function postSigned(
  { callbackSecrets, outbound }: Pick<CallbackContext, 'callbackSecrets' | 'outbound'>,
  { id, userId, url, body: text }: SignedPost,
  { signal, now }: { readonly signal: AbortSignal; readonly now: number },
): Promise<PostAnswer> {
  const body = Buffer.from(text);
  const secrets = await callbackSecrets.read(userId, now);
  const answer = await outbound.request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...webhookHeaders(id, body, secrets, now) },
    body,
    signal,
    timeoutMs: attemptTimeoutMs,
    maxBytes: maxAnswerBytes,
    share: userId,
  });
  if (answer.kind !== 'answered') return { kind: 'unanswered', answer: answer.reason };
  const { status: code, headers } = answer;
  const stored = sanitizeAnswer(await answer.body.readFirst(maxStoredBytes));
  return { kind: 'answered', code, answer: stored, retryAfter: headers['retry-after'] };
}

/** Safe for every database and terminal: no NUL and no control characters but line feed and tab. */
const sanitizeAnswer = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('utf8')
    .replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
