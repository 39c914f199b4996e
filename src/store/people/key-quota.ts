/** Quotas of keys: jobs at once and jobs per day, checked in the transaction that inserts a job. */
import { days } from '../../domain/clock.ts';
import type { KeyId } from '../../domain/ids.ts';
import type { Quota } from '../../domain/key.ts';
import type { Row, Statements } from '../db/connection.ts';
import { integer, integerOrNull } from '../db/rows.ts';
import { countUnfinishedOfKey } from '../jobs/count.ts';

/** The quota of a key that one more job would exceed. */
export type QuotaExceeded =
  | { readonly kind: 'jobs_at_once_used'; readonly limit: number }
  | { readonly kind: 'jobs_per_day_used'; readonly limit: number };

/**
 * The present quota of a key. Serialises the inserts of its jobs until this transaction ends, so that no two count the
 * same jobs.
 */
export async function lockQuota(tx: Statements, keyId: KeyId): Promise<Quota | null> {
  const [row] = await tx.write(
    'UPDATE keys SET name = name WHERE id = $1 RETURNING jobs_at_once, jobs_per_day',
    [keyId],
  );
  return row ? quotaFromRow(row) : null;
}

/** Null while one more job fits. */
export async function findExceededQuota(
  db: Statements,
  keyId: KeyId,
  { atOnce, perDay }: Quota,
  now: number,
): Promise<QuotaExceeded | null> {
  if (atOnce !== null && (await countUnfinishedOfKey(db, keyId, atOnce)) >= atOnce)
    return { kind: 'jobs_at_once_used', limit: atOnce };
  if (perDay !== null && (await readDailyCount(db, keyId, now)) >= perDay)
    return { kind: 'jobs_per_day_used', limit: perDay };
  return null;
}

/** Jobs created on the present day of UTC. */
async function readDailyCount(db: Statements, keyId: KeyId, now: number): Promise<number> {
  const [row] = await db.read('SELECT jobs FROM key_days WHERE key_id = $1 AND day = $2', [
    keyId,
    dayOf(now),
  ]);
  return row ? integer(row, 'jobs') : 0;
}

/** Call it in the transaction that inserts the job. */
export async function incrementDailyCount(tx: Statements, keyId: KeyId, now: number): Promise<void> {
  await tx.write(
    `INSERT INTO key_days (key_id, day, jobs) VALUES ($1, $2, 1)
     ON CONFLICT (key_id, day) DO UPDATE SET jobs = key_days.jobs + 1`,
    [keyId, dayOf(now)],
  );
}

/** Days of UTC since the epoch. */
const dayOf = (now: number): number => Math.floor(now / days);

/** Null: any number of jobs. */
export function quotaFromRow(row: Row): Quota | null {
  const atOnce = integerOrNull(row, 'jobs_at_once');
  const perDay = integerOrNull(row, 'jobs_per_day');
  return atOnce === null && perDay === null ? null : { atOnce, perDay };
}
