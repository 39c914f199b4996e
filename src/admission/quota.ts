import { days, seconds } from '../domain/clock.ts';
import type { Principal } from '../domain/key.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Statements } from '../store/db/connection.ts';
import { findExceededQuota, type QuotaExceeded } from '../store/people/key-quota.ts';

/** How soon a job of a key may have ended, where it has as many as it may have at once. */
const tryAgainSeconds = 5;

/** Throws the 429 of a key that has no room, before anything of its creation is kept. The insert counts exactly. */
export async function refuseUsedQuota(
  db: Statements,
  { keyId, quota }: Principal,
  now: number,
): Promise<void> {
  const used = quota && (await findExceededQuota(db, keyId, quota, now));
  if (used) throw quotaRefusal(used, now);
}

export function quotaRefusal({ kind, limit }: QuotaExceeded, now: number): Refusal {
  switch (kind) {
    case 'jobs_at_once_used':
      return refuse('quota_of_key_used', {
        subject: `This key may have ${limit} unfinished jobs at once, please try again later`,
        retryAfterSeconds: tryAgainSeconds,
      });
    case 'jobs_per_day_used':
      return refuse('quota_of_key_used', {
        subject: `This key may make ${limit} jobs a day (UTC), please try again later`,
        retryAfterSeconds: Math.ceil((days - (now % days)) / seconds),
      });
  }
}
