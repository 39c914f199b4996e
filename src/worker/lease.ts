import type { Job, Lease, Outcome } from '../domain/job.ts';
import type { Wakeup } from '../domain/wakeup.ts';
import type { Route } from '../routing/routes.ts';
import type { Attempt } from '../store/attempts/attempts.ts';
import type { Connection } from '../store/db/connection.ts';
import { expiredError, isCancelRequested } from '../store/jobs/claim.ts';
import type { WorkerContext } from './context.ts';

/** A job in the hand of this worker, whatever is done with it. */
export interface LeasedJob extends Lease {
  readonly modelId: string;
  /** Where it goes, or where its newest attempt went. */
  readonly route: Route;
  /** Epoch ms of its first claim. */
  readonly startedAt: number;
  readonly expiresAt: number;
  /** Whether somebody is called back when it ends. */
  readonly hasCallback: boolean;
}

/** A held job that is being worked on here, with all that this takes. */
export interface RunningJob {
  readonly lease: LeasedJob;
  readonly job: Job;
  readonly route: Route;
  /** The newest attempt before this one; null when there was none. */
  readonly lastAttempt: Attempt | null;
  /** Woken when something is announced of the job. */
  readonly wakeup: Wakeup;
  /** Aborts when the worker stops or lost the hold. */
  readonly signal: AbortSignal;
  /** Called once the job does nothing here but wait for its upstream. */
  readonly onAccepted: () => void;
  /** Why the job ends now: a cancel, its deadline, the end of this worker. Null: there is reason to go on. */
  checkEnd(): Promise<Outcome | null>;
  /** The same without a look into the rows: a cancel is announced, and looked for with every heartbeat. */
  checkStopOrDeadline(): Outcome | null;
  /** Waits that long, or until there is an end. */
  waitForEnd(ms: number, over?: AbortSignal): Promise<Outcome | null>;
}

export function openRunningJob(
  { db, clock }: Pick<WorkerContext, 'db' | 'clock'>,
  working: Omit<RunningJob, 'checkEnd' | 'checkStopOrDeadline' | 'waitForEnd'>,
): RunningJob {
  const { lease, wakeup, signal } = working;
  const checkStopOrDeadline = (): Outcome | null =>
    signal.aborted ? { kind: 'interrupted' } : checkExpired(lease, clock.now());
  const checkEnd = async (): Promise<Outcome | null> =>
    (await checkCancelled(db, lease)) ?? checkStopOrDeadline();

  return {
    ...working,
    checkEnd,
    checkStopOrDeadline,
    async waitForEnd(ms, over) {
      const endsAt = clock.now() + ms;
      over?.addEventListener('abort', wakeup.wake, { once: true });
      for (;;) {
        const restMs = Math.min(endsAt, lease.expiresAt) - clock.now();
        if (restMs <= 0 || over?.aborted) return checkStopOrDeadline();
        const early = (await wakeup.sleep(restMs)) ? await checkEnd() : checkStopOrDeadline();
        if (early) return early;
      }
    },
  };
}

export const checkExpired = ({ expiresAt }: Pick<LeasedJob, 'expiresAt'>, now: number): Outcome | null =>
  now >= expiresAt ? { kind: 'failed', error: expiredError } : null;

export const checkCancelled = async (db: Connection, hold: Lease): Promise<Outcome | null> =>
  (await isCancelRequested(db, hold)) ? { kind: 'cancelled' } : null;
