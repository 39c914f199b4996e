import { createHmac } from 'node:crypto';
import { type Clock, seconds } from '../domain/clock.ts';
import { Refusal, refuse } from '../domain/refusal.ts';
import type { Connection } from '../store/db/connection.ts';
import { type BucketRate, returnToBucket, takeFromBucket } from '../store/people/login-buckets.ts';

/** One try to log in. */
export interface LoginAttempt {
  /** The range of the client's address. */
  readonly range: string;
  /** The name that was given; null for the admin token, which is no account. */
  readonly account: string | null;
  /** Names a browser that logged in to this account before; null for every other. */
  readonly device: string | null;
}

/** Rates of logins, shared by all processes. */
export interface LoginThrottle {
  /** Counts a try, or throws the 429 with the wait. A known browser has a bucket of its own and no other. */
  take(tried: LoginAttempt): Promise<void>;
  /** The try was right: the account has it back. */
  refund(tried: LoginAttempt): Promise<void>;
  /** Counts a wrong Bearer token, or throws the 429 with the wait. */
  takeWrongToken(range: string): Promise<void>;
}

const ofRange: BucketRate = { burst: 30, spacingMs: 2 * seconds };
const ofAccount: BucketRate = { burst: 25, spacingMs: 12 * seconds };
const ofDevice: BucketRate = { burst: 10, spacingMs: 12 * seconds };

/** Of each kind; two that share one share its rate. */
const bucketCount = 65_536;
const maxRemembered = 10_000;

/** `key` deals buckets out so that nobody outside can tell who shares one. */
export function openLoginThrottle(db: Connection, clock: Clock, key: string): LoginThrottle {
  /** Buckets that were full, and until when: a flood does not ask the database. */
  const fullUntil = new Map<string, number>();
  /** The last try at each bucket: whoever comes in a burst waits for those before and learns that it is full. */
  const underWay = new Map<string, Promise<void>>();

  const bucketOf = (kind: string, value: string): string => {
    const place = createHmac('sha256', key).update(`${kind} ${value}`).digest().readUInt32BE() % bucketCount;
    return `${kind}:${place}`;
  };

  async function takeFrom(bucket: string, rate: BucketRate): Promise<void> {
    // Where the database does not answer, whoever waits behind fails at once and does not ask it in turn.
    const before = underWay.get(bucket)?.catch(passRefusal);
    const mine = before ? before.then(() => takeNow(bucket, rate)) : takeNow(bucket, rate);
    underWay.set(bucket, mine);
    try {
      await mine;
    } finally {
      if (underWay.get(bucket) === mine) underWay.delete(bucket);
    }
  }

  async function takeNow(bucket: string, rate: BucketRate): Promise<void> {
    const now = clock.now();
    const known = fullUntil.get(bucket);
    // A wait longer than a bucket can give is of before the clock was set back.
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

function passRefusal(failure: unknown): void {
  if (!(failure instanceof Refusal)) throw failure;
}
