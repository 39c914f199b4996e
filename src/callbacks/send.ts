import type { Logger } from 'pino';
import { type JobBodyContext, readResultBody, readStatusBody } from '../answers/job-bodies.ts';
import { seconds } from '../domain/clock.ts';
import {
  classifyAnswer,
  type Delivery,
  type DeliveryAttemptOutcome,
  webhookHeaders,
} from '../domain/delivery.ts';
import { isFinal } from '../domain/job.ts';
import { toJson } from '../domain/json.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { Outbound } from '../media/outbound.ts';
import type { CallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import type { DeliveryAttemptResult } from '../store/callbacks/deliveries.ts';
import type { Connection } from '../store/db/connection.ts';
import { readJobById } from '../store/jobs/read.ts';

export interface CallbackContext extends JobBodyContext {
  readonly db: Connection;
  readonly callbackSecrets: CallbackSecrets;
  /** Judges every address again when it connects. */
  readonly outbound: Outbound;
  readonly tracing: Tracing;
  readonly log: Logger;
  /** Told of every try that has an outcome. */
  readonly onAttempt: (outcome: DeliveryAttemptOutcome['kind']) => void;
}

/** Decisions 5: for everything together. */
const attemptTimeoutMs = 15 * seconds;
/** More of an answer is never read. */
const maxAnswerBytes = 4 * 1024;
/** More of an answer is never kept. */
const maxKeptBytes = 512;

/** Makes one try: body of the moment → signed → posted → judged. The signal breaks it off. */
export async function sendCallback(
  parts: CallbackContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryAttemptResult> {
  const { callbackSecrets, clock, outbound } = parts;
  const startedAt = clock.now();
  const end = (
    outcome: DeliveryAttemptOutcome,
    answer: string,
    code: number | null = null,
  ): DeliveryAttemptResult => ({
    id: delivery.id,
    number: delivery.tries,
    tookMs: clock.now() - startedAt,
    code,
    answer,
    outcome,
  });
  const giveBack = (why: string) => end({ kind: 'given_back', dueAt: clock.now() }, why);

  const content = await readBody(parts, delivery);
  if (content.kind === 'too_late') return giveBack('Not sent: the job ended meanwhile.');
  if (content.kind === 'gone') return end({ kind: 'failed' }, 'Not sent: what it would tell has ended.');
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
    if (signal.aborted) return giveBack(answer.reason);
    return end(classifyAnswer(delivery, null, clock.now(), Math.random()), answer.reason);
  }
  const { status: code, headers } = answer;
  const kept = sanitizeAnswer(await answer.body.readFirst(maxKeptBytes));
  const judged = classifyAnswer(
    delivery,
    { code, retryAfter: headers['retry-after'] },
    clock.now(),
    Math.random(),
  );
  return end(judged, kept, code);
}

type Content =
  | { readonly kind: 'body'; readonly body: Uint8Array }
  /** It would tell of a status that a final one followed. */
  | { readonly kind: 'too_late' }
  /** The job is no longer there. */
  | { readonly kind: 'gone' };

/** Decisions 5: what the answer of `response` would hold at this moment. */
async function readBody(parts: CallbackContext, { jobId, status }: Delivery): Promise<Content> {
  const job = await readJobById(parts.db, jobId);
  if (!job) return { kind: 'gone' };
  if (status === 'IN_PROGRESS' && isFinal(job.state)) return { kind: 'too_late' };
  const body = isFinal(job.state) ? await readResultBody(parts, job) : await readStatusBody(parts, job, null);
  return { kind: 'body', body: Buffer.from(toJson(body)) };
}

/** Fit for every database and every terminal: no NUL, no other control characters but ends of lines. */
const sanitizeAnswer = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('utf8')
    .replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
