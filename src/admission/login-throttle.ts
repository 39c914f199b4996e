/** Limits the rate of logins per address range, account and browser, over all processes. */
import { createHmac } from 'node:crypto';
import { type Clock, seconds } from '../domain/clock.ts';
import { Refusal, refuse } from '../domain/refusal.ts';
import type { Connection } from '../store/db/connection.ts';
import { type BucketRate, returnToBucket, takeFromBucket } from '../store/people/login-buckets.ts';

/** One attempt to log in. */
export interface LoginAttempt {
  /** The range of the client's address: /24 of IPv4, /64 of IPv6. */
  readonly range: string;
  /** The name that was entered; null for the admin token, which has no account. */
  readonly account: string | null;
  /** Id of a browser that logged in to this account before; null for every other. */
  readonly device: string | null;
}

export interface LoginThrottle {
  /** Counts an attempt, or throws the 429 with the wait. A known browser uses its own bucket alone. */
  take(attempt: LoginAttempt): Promise<void>;
  /** The password was right: the attempt is no longer counted for the account. */
  refund(attempt: LoginAttempt): Promise<void>;
  /** Counts a wrong Bearer token, or throws the 429 with the wait. */
  takeWrongToken(range: string): Promise<void>;
}

const ofRange: BucketRate = { burst: 30, spacingMs: 2 * seconds };
const ofAccount: BucketRate = { burst: 25, spacingMs: 12 * seconds };
const ofDevice: BucketRate = { burst: 10, spacingMs: 12 * seconds };

/** Of each kind; two accounts in the same bucket share its rate. */
const bucketCount = 65_536;
const maxRemembered = 10_000;

/** `key` of the HMAC keeps outsiders from computing which names share a bucket. */
export function openLoginThrottle(db: Connection, clock: Clock, key: string): LoginThrottle {
  /** Full buckets and until when, so that a flood causes no queries. */
  const fullUntil = new Map<string, number>();
  /** The last attempt at each bucket: later ones of a burst wait for it and find the bucket full without a query. */
  const inFlight = new Map<string, Promise<void>>();

  const bucketOf = (kind: string, value: string): string => {
    const index = createHmac('sha256', key).update(`${kind} ${value}`).digest().readUInt32BE() % bucketCount;
    return `${kind}:${index}`;
  };

  async function takeFrom(bucket: string, rate: BucketRate): Promise<void> {
    // Where the database does not respond, the waiting attempts fail with this one instead of querying it again.
    const before = inFlight.get(bucket)?.catch(passRefusal);
    const mine = before ? before.then(() => takeNow(bucket, rate)) : takeNow(bucket, rate);
    inFlight.set(bucket, mine);
    try {
      await mine;
    } finally {
      if (inFlight.get(bucket) === mine) inFlight.delete(bucket);
    }
  }

  async function takeNow(bucket: string, rate: BucketRate): Promise<void> {
    const now = clock.now();
    const known = fullUntil.get(bucket);
    // A longer wait than a bucket can have was computed before the clock was set back.
    const isFull = known !== undefined && known > now && known <= now + rate.spacingMs;
    const until = isFull ? known : await takeFromBucket(db, bucket, rate, now);
    if (until === null) {
      fullUntil.delete(bucket);
      return;
    }
    if (fullUntil.size >= maxRemembered) fullUntil.clear();
    fullUntil.set(bucket, until);
    const retryAfterSeconds = Math.max(1, Math.ceil((until - now) / seconds));
    throw refuse('logins_exceeded', { retryAfterSeconds });
  }

  return {
    async take({ range, account, device }) {
      if (device !== null) return takeFrom(bucketOf('device', device), ofDevice);
      await takeFrom(bucketOf('range', range), ofRange);
      if (account !== null) await takeFrom(bucketOf('account', account), ofAccount);
    },
    async refund({ account, device }) {
      if (device !== null) await returnToBucket(db, bucketOf('device', device), ofDevice);
      else if (account !== null) await returnToBucket(db, bucketOf('account', account), ofAccount);
    },
    takeWrongToken: range => takeFrom(bucketOf('bearer', range), ofRange),
  };
}

/** A refusal of the attempt before says nothing about the next one; any other failure does. */
function passRefusal(failure: unknown): void {
  if (!(failure instanceof Refusal)) throw failure;
}
