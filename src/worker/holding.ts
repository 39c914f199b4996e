import type { Hold, Job, Outcome } from '../domain/job.ts';
import type { Route } from '../providers/routing.ts';
import type { Attempt } from '../store/attempts.ts';
import { expiredError, isCancelRequested } from '../store/claims.ts';
import type { Connection } from '../store/connection.ts';
import type { Nudge } from './nudge.ts';
import type { WorkerParts } from './parts.ts';

/** A job in the hand of this worker, whatever is done with it. */
export interface Held extends Hold {
  readonly modelId: string;
  /** Where it goes, or where its newest attempt went. */
  readonly route: Route;
  /** Epoch ms of its first claim. */
  readonly startedAt: number;
  readonly expiresAt: number;
  /** Whether somebody is called back when it ends. */
  readonly isCalledBack: boolean;
}

/** A held job that is being worked on here, with all that this takes. */
export interface Holding {
  readonly hold: Held;
  readonly job: Job;
  readonly route: Route;
  /** The newest attempt before this one; null when there was none. */
  readonly lastAttempt: Attempt | null;
  /** Woken when something is announced of the job. */
  readonly nudge: Nudge;
  /** Aborts when the worker stops or lost the hold. */
  readonly signal: AbortSignal;
  /** Called once the job does nothing here but wait for its upstream. */
  readonly onUnderWay: () => void;
  /** Why the job ends now: a cancel, its deadline, the end of this worker. Null: there is reason to go on. */
  whyEnd(): Promise<Outcome | null>;
  /** The same without a look into the rows: a cancel is announced, and looked for with every heartbeat. */
  whyEndByTime(): Outcome | null;
  /** Waits that long, or until there is an end. */
  whyEndAfter(ms: number, over?: AbortSignal): Promise<Outcome | null>;
}

export function openHolding(
  { db, clock }: Pick<WorkerParts, 'db' | 'clock'>,
  working: Omit<Holding, 'whyEnd' | 'whyEndByTime' | 'whyEndAfter'>,
): Holding {
  const { hold, nudge, signal } = working;
  const whyEndByTime = (): Outcome | null =>
    signal.aborted ? { kind: 'interrupted' } : whyLate(hold, clock.now());
  const whyEnd = async (): Promise<Outcome | null> => (await whyCancelled(db, hold)) ?? whyEndByTime();

  return {
    ...working,
    whyEnd,
    whyEndByTime,
    async whyEndAfter(ms, over) {
      const endsAt = clock.now() + ms;
      over?.addEventListener('abort', nudge.wake, { once: true });
      for (;;) {
        const restMs = Math.min(endsAt, hold.expiresAt) - clock.now();
        if (restMs <= 0 || over?.aborted) return whyEndByTime();
        const early = (await nudge.sleep(restMs)) ? await whyEnd() : whyEndByTime();
        if (early) return early;
      }
    },
  };
}

export const whyLate = ({ expiresAt }: Pick<Held, 'expiresAt'>, now: number): Outcome | null =>
  now >= expiresAt ? { kind: 'failed', error: expiredError } : null;

export const whyCancelled = async (db: Connection, hold: Hold): Promise<Outcome | null> =>
  (await isCancelRequested(db, hold)) ? { kind: 'cancelled' } : null;
