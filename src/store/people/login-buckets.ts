/** Token buckets in the database that throttle logins over all processes. */
import type { Connection, Statements } from '../db/connection.ts';
import { integer } from '../db/rows.ts';

/** Size of a bucket, and the time in milliseconds in which one token returns. */
export interface BucketRate {
  readonly burst: number;
  readonly spacingMs: number;
}

/**
 * Takes a token from a bucket that all processes share (GCRA: one number, the time at which it would be empty again).
 * Null when it was taken; otherwise the moment (epoch ms) from which the next one can be.
 */
export async function takeFromBucket(
  db: Connection,
  bucket: string,
  { burst, spacingMs }: BucketRate,
  now: number,
): Promise<number | null> {
  const fullAt = now + burst * spacingMs;
  return db.transaction(async tx => {
    // A bucket beyond its size was written before the clock was set back: one token is granted.
    const [taken] = await tx.write(
      `INSERT INTO login_buckets (bucket, empty_at) VALUES ($1, $2)
       ON CONFLICT (bucket) DO UPDATE SET empty_at = CASE
         WHEN login_buckets.empty_at > $3 THEN $3
         WHEN login_buckets.empty_at > $4 THEN login_buckets.empty_at + $5 ELSE $2 END
       WHERE login_buckets.empty_at + $5 <= $3 OR login_buckets.empty_at > $3
       RETURNING empty_at`,
      [bucket, now + spacingMs, fullAt, now, spacingMs],
    );
    if (taken) return null;
    const [full] = await tx.read('SELECT empty_at FROM login_buckets WHERE bucket = $1', [bucket]);
    return full ? integer(full, 'empty_at') + spacingMs - burst * spacingMs : null;
  });
}

/** Returns a token: a successful login does not count. */
export async function returnToBucket(
  db: Statements,
  bucket: string,
  { spacingMs }: Pick<BucketRate, 'spacingMs'>,
): Promise<void> {
  await db.write('UPDATE login_buckets SET empty_at = empty_at - $2 WHERE bucket = $1', [bucket, spacingMs]);
}

/** Deletes up to `limit` empty buckets; returns how many. */
export async function pruneBuckets(db: Statements, now: number, limit: number): Promise<number> {
  const rows = await db.write(
    `DELETE FROM login_buckets WHERE bucket IN (
       SELECT bucket FROM login_buckets WHERE empty_at <= $1 LIMIT $2) RETURNING bucket`,
    [now, limit],
  );
  return rows.length;
}
