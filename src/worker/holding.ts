import type { Hold, Job, Outcome } from '../domain/job.ts';
import type { Route } from '../providers/routing.ts';
import type { Attempt } from '../store/attempts.ts';
import { expiredError, isCancelRequested } from '../store/claims.ts';
import type { Nudge } from './nudge.ts';
import type { WorkerParts } from './parts.ts';

/** A job in the hand of this worker. */
export interface Holding {
  readonly job: Job;
  readonly hold: Hold;
  /** Where it goes, or where its newest attempt went. */
  readonly route: Route;
  /** The newest attempt of an earlier claim; null when there was none. */
  readonly lastAttempt: Attempt | null;
  /** Woken when something is announced of the job. */
  readonly nudge: Nudge;
  /** Aborts when the worker stops or lost the hold. */
  readonly signal: AbortSignal;
  /** Called once the job does nothing here but wait for its upstream. */
  readonly onUnderWay: () => void;
  /** The least time between two polls of one job, so that all that are in hand pass no rate: 0 for a few. */
  readonly crowdMs: () => number;
  /** Why the job ends now: a cancel, its deadline, the end of this worker. Null: there is reason to go on. */
  whyEnd(): Promise<Outcome | null>;
  /** The same without a look into the rows: a cancel is announced, and looked for with every heartbeat. */
  whyEndByTime(): Outcome | null;
  /** Waits that long, or until there is an end. */
  whyEndAfter(ms: number, over?: AbortSignal): Promise<Outcome | null>;
}

export function openHolding(
  { db, clock }: Pick<WorkerParts, 'db' | 'clock'>,
  held: Omit<Holding, 'whyEnd' | 'whyEndByTime' | 'whyEndAfter'>,
): Holding {
  const { job, hold, nudge, signal } = held;
  const whyEndByTime = (): Outcome | null => {
    if (signal.aborted) return { kind: 'interrupted' };
    return clock.now() >= job.expiresAt ? { kind: 'failed', error: expiredError } : null;
  };
  const whyEnd = async (): Promise<Outcome | null> =>
    (await isCancelRequested(db, hold)) ? { kind: 'cancelled' } : whyEndByTime();

  return {
    ...held,
    whyEnd,
    whyEndByTime,
    async whyEndAfter(ms, over) {
      const endsAt = clock.now() + ms;
      over?.addEventListener('abort', nudge.wake, { once: true });
      for (;;) {
        const restMs = Math.min(endsAt, job.expiresAt) - clock.now();
        if (restMs <= 0 || over?.aborted) return whyEndByTime();
        const early = (await nudge.sleep(restMs)) ? await whyEnd() : whyEndByTime();
        if (early) return early;
      }
    },
  };
}
