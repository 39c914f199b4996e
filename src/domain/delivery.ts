import { createHmac, randomBytes } from 'node:crypto';
import { hours, minutes, seconds, toUnixSeconds } from './clock.ts';
import type { DeliveryId, JobId, UserId } from './ids.ts';
import type { JobStatus } from './job.ts';

/** `waiting` until it is delivered, given up, or has lost its sense because the job ended. */
export const deliveryStates = ['waiting', 'delivered', 'failed', 'superseded'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One callback to be made, with its tries. */
export interface Delivery {
  /** The `webhook-id`: the same at every try. */
  readonly id: DeliveryId;
  readonly jobId: JobId;
  readonly userId: UserId;
  /** The change of status that it tells of. */
  readonly status: Exclude<JobStatus, 'IN_QUEUE'>;
  readonly url: string;
  readonly state: DeliveryState;
  /** How often it was claimed; the number of its newest try. */
  readonly tries: number;
  /** Failed tries since it was last put in line. */
  readonly failures: number;
  /** Epoch ms before which it is not tried. */
  readonly dueAt: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** One try, as it is kept. Without an outcome it is under way, or its process ended meanwhile. */
export interface DeliveryAttempt {
  /** Counts from 1. */
  readonly number: number;
  readonly at: number;
  readonly tookMs: number | null;
  /** The status of the answer; null when none came. */
  readonly code: number | null;
  /** The first bytes of the answer, or why there was none. */
  readonly answer: string | null;
}

/** What comes of a try; the store writes it. */
export type DeliveryAttemptOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly dueAt: number }
  /** Gone, or the schedule is at its end. */
  | { readonly kind: 'failed' }
  /** No fault of the receiver: the try does not count. */
  | { readonly kind: 'given_back'; readonly dueAt: number };

/** Decisions 5: the waits after each failed try; the first try is made at once. */
export const retryDelaysMs: Readonly<Record<Delivery['status'], readonly number[]>> = {
  COMPLETED: [
    5 * seconds,
    30 * seconds,
    2 * minutes,
    10 * minutes,
    30 * minutes,
    1 * hours,
    3 * hours,
    8 * hours,
  ],
  IN_PROGRESS: [5 * seconds],
};
/** Each wait is this much shorter or longer, so that what failed together does not come back together. */
const jitter = 0.2;
/** A receiver may ask for no longer wait than this. */
const longestRetryAfterMs = 24 * hours;
const gone = 410;

/** What a receiver answered; null when nothing came. */
export interface ReceiverAnswer {
  readonly code: number;
  /** The header as it came. */
  readonly retryAfter: string | undefined;
}

/** Decisions 5: any 2xx delivers, 410 stops, everything else, a redirect too, is a failure. `random` is 0 to 1. */
export function classifyAnswer(
  { status, failures }: Pick<Delivery, 'status' | 'failures'>,
  answer: ReceiverAnswer | null,
  now: number,
  random: number,
): DeliveryAttemptOutcome {
  if (answer && answer.code >= 200 && answer.code < 300) return { kind: 'delivered' };
  const waitMs = retryDelaysMs[status][failures];
  if (answer?.code === gone || waitMs === undefined) return { kind: 'failed' };
  const jittered = Math.round(waitMs * (1 - jitter + 2 * jitter * random));
  return { kind: 'again', dueAt: now + Math.max(jittered, retryAfterMs(answer?.retryAfter, now)) };
}

/** Seconds or a date, as HTTP has it; 0 where it cannot be read. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,10}$/.test(text)
    ? Number(text) * seconds
    : /^[A-Z][a-z]{2}, .+ GMT$/.test(text)
      ? Date.parse(text) - now
      : 0;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), longestRetryAfterMs);
}

/** The name of a line: one user's callbacks to one host. */
export const queueKey = (userId: string, url: string): string => `${userId} ${URL.parse(url)?.host ?? url}`;

export function parseQueueKey(name: string) {
  const [userId = '', host = ''] = name.split(' ', 2);
  return { name, userId, host };
}

/** During a rotation the old secret signs along for this long. */
export const secretOverlapMs = 24 * hours;

export const newCallbackSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The headers of Standard Webhooks: one signature for each secret that is in force. */
export function webhookHeaders(
  id: DeliveryId,
  body: Uint8Array,
  secrets: readonly string[],
  now: number,
): Readonly<Record<string, string>> {
  const timestamp = String(toUnixSeconds(now));
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
