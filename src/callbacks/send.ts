// Sends one callback (webhook): one signed POST to the address that a client gave, and the outcome of that attempt.
import type { Logger } from 'pino';
import { readFalWebhook } from '../answers/fal-bodies.ts';
import { type JobBodyContext, readResultBody, readStatusBody } from '../answers/job-bodies.ts';
import { readPrediction } from '../answers/prediction.ts';
import { videoEvent } from '../answers/video-event.ts';
import { type CallbackShape, callbackShapeOf } from '../domain/callback-shape.ts';
import { seconds } from '../domain/clock.ts';
import { type Delivery, type DeliveryAttemptOutcome, webhookHeaders } from '../domain/delivery.ts';
import { deliveryOutcomeOf } from '../domain/delivery-retry.ts';
import { isFinal, type Job } from '../domain/job.ts';
import { toJson } from '../domain/json.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { Outbound } from '../media/outbound.ts';
import type { CallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import type { DeliveryAttemptResult } from '../store/callbacks/deliveries.ts';
import type { Connection } from '../store/db/connection.ts';
import { readJobById } from '../store/jobs/read.ts';

/** The dependencies of the dispatcher. */
export interface CallbackContext extends JobBodyContext {
  readonly db: Connection;
  readonly callbackSecrets: CallbackSecrets;
  /** Checks the address of the receiver again with each connection. */
  readonly outbound: Outbound;
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
  const { callbackSecrets, clock, outbound } = context;
  const startedAt = clock.now();
  // The row of the attempt: its delivery, its number, how long it took, and what was answered.
  const end = (
    outcome: DeliveryAttemptOutcome,
    answer: string,
    code: number | null = null,
  ): DeliveryAttemptResult => ({
    id: delivery.id,
    number: delivery.attempts,
    tookMs: clock.now() - startedAt,
    code,
    answer,
    outcome,
  });
  const release = (reason: string) => end({ kind: 'given_back', dueAt: clock.now() }, reason);

  const content = await readBody(context, delivery);
  if (content.kind === 'superseded') return release('Not sent: superseded, the job is already final.');
  if (content.kind === 'job_deleted') return end({ kind: 'failed' }, 'Not sent: the job no longer exists.');
  const secrets = await callbackSecrets.read(delivery.userId, startedAt);
  const answer = await outbound.request(delivery.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...webhookHeaders(delivery.id, content.body, secrets, startedAt),
    },
    body: content.body,
    signal,
    timeoutMs: attemptTimeoutMs,
    maxBytes: maxAnswerBytes,
    share: delivery.userId,
  });
  if (answer.kind !== 'answered') {
    if (signal.aborted) return release(answer.reason);
    return end(deliveryOutcomeOf(delivery, null, clock.now(), Math.random()), answer.reason);
  }
  const { status: code, headers } = answer;
  const stored = sanitizeAnswer(await answer.body.readFirst(maxStoredBytes));
  const outcome = deliveryOutcomeOf(
    delivery,
    { code, retryAfter: headers['retry-after'] },
    clock.now(),
    Math.random(),
  );
  return end(outcome, stored, code);
}

/** What is to be sent, or why nothing is. */
type Content =
  | { readonly kind: 'body'; readonly body: Uint8Array }
  /** The status of the callback was followed by a final one. */
  | { readonly kind: 'superseded' }
  /** The row of the job was pruned. */
  | { readonly kind: 'job_deleted' };

/** Decisions 5: the body that `response` would give at this moment. */
async function readBody(context: CallbackContext, { jobId, status, url }: Delivery): Promise<Content> {
  const job = await readJobById(context.db, jobId);
  if (!job) return { kind: 'job_deleted' };
  if (status === 'IN_PROGRESS' && isFinal(job.state)) return { kind: 'superseded' };
  return { kind: 'body', body: Buffer.from(toJson(await bodyOf(context, job, callbackShapeOf(url)))) };
}

/** In the shape that the client of the job reads. */
async function bodyOf(context: CallbackContext, job: Job, shape: CallbackShape): Promise<object> {
  switch (shape.of) {
    case 'fal':
      return readFalWebhook(context, job);
    case 'replicate':
      return readPrediction(context, job);
    case 'openai':
      return videoEvent(job);
    case 'atelier':
      return isFinal(job.state) ? readResultBody(context, job) : readStatusBody(context, job, null);
  }
}

/** Safe for every database and terminal: no NUL and no control characters but line feed and tab. */
const sanitizeAnswer = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('utf8')
    .replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
