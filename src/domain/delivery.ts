/** Deliveries of callbacks (webhooks): states, retries, and the signed headers of Standard Webhooks. */
import { createHmac, randomBytes } from 'node:crypto';
import { hours, toUnixSeconds } from './clock.ts';
import type { DeliveryId, JobId, UserId } from './ids.ts';

/** `waiting` until delivered, failed for good, or superseded because its job became final. */
export const deliveryStates = ['waiting', 'delivered', 'failed', 'superseded'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Of a job, the change of status that it reports; of no job, an alert of a budget. */
export const deliveryStatuses = ['IN_PROGRESS', 'COMPLETED', 'BUDGET_ALERT'] as const;

/** One notice to a callback URL. */
export interface Delivery {
  /** The `webhook-id`: the same for every attempt. */
  readonly id: DeliveryId;
  /** Null: an alert of a budget. */
  readonly jobId: JobId | null;
  readonly userId: UserId;
  readonly status: (typeof deliveryStatuses)[number];
  readonly url: string;
  /** Of an alert; null: that of the job when it is sent. */
  readonly body: string | null;
  readonly state: DeliveryState;
  /** How often it was claimed; the number of its newest attempt. */
  readonly attempts: number;
  /** Failed attempts since it was last queued. */
  readonly failures: number;
  /** Epoch ms before which it is not attempted. */
  readonly dueAt: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** One recorded attempt. Without an outcome it is in flight, or its process crashed. */
export interface DeliveryAttempt {
  /** Counts from 1. */
  readonly number: number;
  readonly at: number;
  readonly tookMs: number | null;
  /** HTTP status of the response; null without a response. */
  readonly code: number | null;
  /** The first bytes of the response, or why there was none. */
  readonly answer: string | null;
}

/** Outcome of an attempt; the store records it. */
export type DeliveryAttemptOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly dueAt: number }
  /** The receiver answered 410, or the last retry failed. */
  | { readonly kind: 'failed' }
  /** Not the receiver's fault: the attempt does not count. */
  | { readonly kind: 'given_back'; readonly dueAt: number };
/** Deliveries are queued by user and host. */
export const queueKey = (userId: string, url: string): string => `${userId} ${URL.parse(url)?.host ?? url}`;

export function parseQueueKey(name: string) {
  const [userId = '', host = ''] = name.split(' ', 2);
  return { name, userId, host };
}

/** How long the previous secret signs, too, after a rotation. */
export const secretOverlapMs = 24 * hours;

export const newCallbackSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The headers of Standard Webhooks: one signature for each valid secret. */
export function webhookHeaders(
  id: DeliveryId,
  body: Uint8Array,
  secrets: readonly string[],
  now: number,
): Readonly<Record<string, string>> {
  const timestamp = String(toUnixSeconds(now));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(secret => webhookSignature(secret, { id, timestamp, body })).join(' '),
  };
}

/** One signature of Standard Webhooks; `timestamp` is in Unix seconds. */
export function webhookSignature(
  secret: string,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: Uint8Array },
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}
