/** Gate: the key has not used up its quota of jobs, checked before any medium is stored. */
import { days, seconds } from '../../domain/clock.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { findExceededQuota, type QuotaExceeded } from '../../store/people/key-quota.ts';
import type { IdempotencyDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/**
 * 429. The insert counts again, exactly. Under an Idempotency-Key it alone decides, because the request may be a replay
 * that arrives at the same time as the first one.
 */
export const refuseUsedQuota: Gate<IdempotencyDraft> = ({ db, clock }, draft) => {
  const { keyId, quota } = draft.request.principal;
  if (quota === null || draft.idempotency !== null) return draft;
  const now = clock.now();
  return findExceededQuota(db, keyId, quota, now).then(used => {
    if (used) throw quotaRefusal(used, now);
    return draft;
  });
};

/** How soon a job of a key may have ended, where it has as many as it may have at once. */
const retryAfterSeconds = 5;

/** 429, with the wait until the quota may have room again. */
export function quotaRefusal({ kind, limit }: QuotaExceeded, now: number): Refusal {
  switch (kind) {
    case 'jobs_at_once_used':
      return refuse('quota_of_key_used', {
        subject: `This key may have ${limit} unfinished jobs at once, please try again later`,
        retryAfterSeconds,
      });
    case 'jobs_per_day_used':
      return refuse('quota_of_key_used', {
        subject: `This key may make ${limit} jobs a day (UTC), please try again later`,
        retryAfterSeconds: Math.ceil((days - (now % days)) / seconds),
      });
  }
}
