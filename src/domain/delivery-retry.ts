/** Whether and when a webhook (callback) is retried, by the answer of its receiver. */
import { hours, minutes, seconds } from './clock.ts';
import type { Delivery, DeliveryAttemptOutcome } from './delivery.ts';

/** Of what no later notice makes up for. */
const overTwelveHours = [
  5 * seconds,
  30 * seconds,
  2 * minutes,
  10 * minutes,
  30 * minutes,
  1 * hours,
  3 * hours,
  8 * hours,
];

/** Decisions 5: the delay after each failed attempt; the first attempt is immediate. */
export const retryDelaysMs: Readonly<Record<Delivery['status'], readonly number[]>> = {
  COMPLETED: overTwelveHours,
  BUDGET_ALERT: overTwelveHours,
  IN_PROGRESS: [5 * seconds],
};

/** Each delay is up to this share shorter or longer, so that simultaneous failures are not retried simultaneously. */
const jitter = 0.2;

/** Upper bound of `retry-after`. */
const longestRetryAfterMs = 24 * hours;

const gone = 410;

/** The response of a receiver. */
export interface ReceiverAnswer {
  readonly code: number;
  /** The header, unparsed. */
  readonly retryAfter: string | undefined;
}

/**
 * Decisions 5: any 2xx delivers, 410 stops, everything else, also a redirect, is a failure. `answer` is null when none
 * came; `random` is 0 to 1.
 */
export function deliveryOutcomeOf(
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

/** Milliseconds of a `retry-after` header, in seconds or as a date; 0 when it is invalid. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,10}$/.test(text)
    ? Number(text) * seconds
    : /^[A-Z][a-z]{2}, .+ GMT$/.test(text)
      ? Date.parse(text) - now
      : 0;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), longestRetryAfterMs);
}
