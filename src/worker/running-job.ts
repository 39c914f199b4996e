// The values that stand for a job in this process: leased, running, ended. A job that waits for its upstream is a
// `PolledJob` (poll-job.ts): a leased job with the state of its polls and without its input.
import type { StoredFile } from '../domain/file.ts';
import type { Job, Lease, Outcome } from '../domain/job.ts';
import { openWakeup, type Wakeup } from '../domain/wakeup.ts';
import type { Route } from '../routing/routes.ts';
import type { Attempt } from '../store/attempts/attempts.ts';
import type { Connection } from '../store/db/connection.ts';
import { isCancelRequested } from '../store/jobs/cancel.ts';
import { expiredError } from '../store/jobs/events.ts';
import type { WorkerContext } from './context.ts';

/** A job that this worker claimed: what is known of it in every state, and enough to settle it. */
export interface LeasedJob extends Lease {
  readonly modelId: string;
  /** The account and upstream model of its newest attempt, or of the one to come. */
  readonly route: Route;
  /** Epoch ms of its first claim. */
  readonly startedAt: number;
  /** Epoch ms of its deadline. */
  readonly expiresAt: number;
  /** Whether its end is announced to a callback address. */
  readonly hasCallback: boolean;
}

/** How the rest of the process reaches a job while a function runs it. */
export interface JobSignals {
  /** Woken when something was announced of the job: a cancel, for one. */
  readonly wakeup: Wakeup;
  /** Aborts when the worker stops or lost the lease. */
  readonly signal: AbortSignal;
  abort(): void;
  /** Whether its upstream called already: some are done before they answered the submission. */
  hasWebhook: boolean;
}

/** A leased job while its input is fetched and submitted, or its outputs are fetched and stored. */
export interface RunningJob extends LeasedJob, Pick<JobSignals, 'wakeup' | 'signal'> {
  /** Its row, with the input. */
  readonly job: Job;
  /** The newest attempt before this one; null when there was none. */
  readonly lastAttempt: Attempt | null;
  /** Called once the job can no longer crash this process: it only waits for its upstream. */
  readonly onAccepted: () => void;
  /** Why the job ends now: a cancel, its deadline, the stop of this worker. Null: it goes on. One statement. */
  checkEnd(): Promise<Outcome | null>;
  /** The same without a statement: a cancel is announced, and looked for with every heartbeat. */
  checkStopOrDeadline(): Outcome | null;
  /** Waits that long, until there is an end, or until `over` aborts; the end if there is one. */
  waitForEnd(ms: number, over?: AbortSignal): Promise<Outcome | null>;
}

/** The outcome to be settled, with the stored files that belong to it. */
export interface EndedJob {
  readonly kind: 'ended';
  readonly outcome: Outcome;
  readonly files: readonly StoredFile[];
}

/** The worker stops, or lost the lease: the job goes back to the queue, and nothing is written without the lease. */
export const interrupted: Outcome = { kind: 'interrupted' };

/** An end without files. */
export const endedWith = (outcome: Outcome): EndedJob => ({ kind: 'ended', outcome, files: [] });

/** How a job learns that it must end, or that there is news of it. */
export function openJobSignals({ clock }: Pick<WorkerContext, 'clock'>): JobSignals {
  const ending = new AbortController();
  const { signal } = ending;
  return { wakeup: openWakeup(clock, signal), signal, abort: () => ending.abort(), hasWebhook: false };
}

/** Adds the checks for an early end to what is known of a job. */
export function openRunningJob(
  { db, clock }: Pick<WorkerContext, 'db' | 'clock'>,
  known: Omit<RunningJob, 'checkEnd' | 'checkStopOrDeadline' | 'waitForEnd'>,
): RunningJob {
  const { wakeup, signal } = known;
  const checkStopOrDeadline = (): Outcome | null =>
    signal.aborted ? interrupted : checkExpired(known, clock.now());
  const checkEnd = async (): Promise<Outcome | null> =>
    (await checkCancelled(db, known)) ?? checkStopOrDeadline();

  return {
    ...known,
    checkEnd,
    checkStopOrDeadline,
    async waitForEnd(ms, over) {
      const endsAt = clock.now() + ms;
      over?.addEventListener('abort', wakeup.wake, { once: true });
      for (;;) {
        const restMs = Math.min(endsAt, known.expiresAt) - clock.now();
        if (restMs <= 0 || over?.aborted) return checkStopOrDeadline();
        const early = (await wakeup.sleep(restMs)) ? await checkEnd() : checkStopOrDeadline();
        if (early) return early;
      }
    },
  };
}

/** Null before the deadline. */
export const checkExpired = ({ expiresAt }: Pick<LeasedJob, 'expiresAt'>, now: number): Outcome | null =>
  now >= expiresAt ? { kind: 'failed', error: expiredError } : null;

/** Reads the row: null also once the lease is lost. */
export const checkCancelled = async (db: Connection, lease: Lease): Promise<Outcome | null> =>
  (await isCancelRequested(db, lease)) ? { kind: 'cancelled' } : null;
