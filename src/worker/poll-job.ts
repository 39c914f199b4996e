// One poll of one job at its upstream: the record of a polled job, and the steps from a poll to the next or to the end.
import { minutes, seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { PollResult, Production, ProviderAttempt } from '../domain/provider.ts';
import { recordProgress } from '../store/jobs/leased-job.ts';
import type { WorkerContext } from './context.ts';
import type { Due } from './due-heap.ts';
import { nextPollDelayMs } from './poll-interval.ts';
import { checkCancelled, checkExpired, interrupted, type LeasedJob } from './running-job.ts';
import { toJobError } from './submit.ts';

/** How long polls go on after the upstream was asked to cancel. */
const cancelTimeoutMs = 60 * seconds;
/** Progress is shown to people: one write in this time is enough. */
const progressIntervalMs = 1 * seconds;
/** How long an upstream may have no record of a job that it accepted, or no readable result: some are late. */
const noResultTimeoutMs = 2 * minutes;

/**
 * A leased job that only waits for its upstream. A hundred thousand of these are in memory at a time: no promise, no
 * timer, and no input, which is read again when the wait is over. Its fields are flat for the same reason: an object
 * for the lease and one for the polls would cost two headers and two pointers a job.
 */
export interface PolledJob extends LeasedJob, Due {
  readonly attempt: number;
  readonly dedupeKey: string;
  /** What `submit` of the provider returned: all that a poll needs. */
  readonly ref: unknown;
  /** Epoch ms. */
  readonly pollingStartedAt: number;
  /** How often a provider lost it before. */
  readonly losses: number;
  /** Removes its local input files; null where none are left. */
  readonly removeInputs: (() => Promise<void>) | null;
  /** Whether something was announced of it since the last poll. */
  hasNews: boolean;
  /** Whether its upstream called since the last poll began. */
  hasWebhook: boolean;
  /** When it was polled last, in the poller's monotonic time. */
  polledAt: number;
  /** Whether this worker stops, or lost the lease. */
  isReleased: boolean;
  /** Why it ends before its upstream is done, once that is known. */
  earlyOutcome: Outcome | null;
  /** Epoch ms until which polls go on after the upstream was asked to cancel; null before that. */
  cancelWaitEndsAt: number | null;
  /** Epoch ms since which the upstream has no record of it, or no readable result; null while it has. */
  noResultSince: number | null;
  /** The last that was written, 0 to 1. */
  progress: number;
  /** Epoch ms of that write. */
  progressWrittenAt: number;
}

/** Why the polls of a job are over. */
export type PollingEnd =
  | { readonly kind: 'succeeded'; readonly production: Production }
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  /** The provider lost it, and a new submission costs nothing. */
  | { readonly kind: 'lost' }
  /** A poll threw: the storage is unavailable, or there is a bug. */
  | { readonly kind: 'thrown'; readonly failure: unknown };

/** What a leased job needs to be polled. */
export interface PollingStart
  extends Pick<
    PolledJob,
    'attempt' | 'dedupeKey' | 'ref' | 'losses' | 'removeInputs' | 'hasNews' | 'hasWebhook' | 'isReleased'
  > {
  readonly firstPollMs: number;
}

export function newPolledJob(lease: LeasedJob, from: PollingStart, now: number): PolledJob {
  // Written out: an object made by spread takes half as much memory again, and there are very many.
  return {
    jobId: lease.jobId,
    holder: lease.holder,
    claim: lease.claim,
    modelId: lease.modelId,
    route: lease.route,
    startedAt: lease.startedAt,
    expiresAt: lease.expiresAt,
    hasCallback: lease.hasCallback,
    attempt: from.attempt,
    dedupeKey: from.dedupeKey,
    ref: from.ref,
    losses: from.losses,
    removeInputs: from.removeInputs,
    hasNews: from.hasNews,
    hasWebhook: from.hasWebhook,
    polledAt: 0,
    isReleased: from.isReleased,
    pollingStartedAt: now,
    dueAt: Math.min(now + from.firstPollMs, lease.expiresAt),
    heapIndex: -1,
    earlyOutcome: null,
    cancelWaitEndsAt: null,
    noResultSince: null,
    progress: 0,
    progressWrittenAt: 0,
  };
}

/** The attempt as its provider takes it. */
export const attemptOf = ({ jobId, modelId, route, attempt, dedupeKey }: PolledJob): ProviderAttempt => ({
  jobId,
  modelId,
  upstreamModel: route.upstreamModel,
  attempt,
  dedupeKey,
});

/** Check for an early end → poll → set the next `dueAt` → write progress → interpret. Null while the job goes on. */
export async function pollJob(
  context: WorkerContext,
  job: PolledJob,
  minIntervalMs: () => number,
): Promise<PollingEnd | null> {
  const { provider } = job.route.account;
  const wasCalled = job.hasWebhook;
  job.hasWebhook = false;
  await checkEarlyEnd(context, job);
  if (job.isReleased) return { kind: 'ended', outcome: interrupted };
  if (job.earlyOutcome && !(await cancelAtUpstream(context, job)))
    return { kind: 'ended', outcome: job.earlyOutcome };

  const polled = await provider.poll(attemptOf(job), job.ref);
  const now = context.clock.now();
  const waitMs = Math.max(minIntervalMs(), nextPollDelayMs(job, polled, now, wasCalled));
  job.dueAt = Math.min(now + waitMs, job.earlyOutcome ? (job.cancelWaitEndsAt ?? now) : job.expiresAt);
  if (polled.kind !== 'missing' && polled.kind !== 'unreadable') job.noResultSince = null;
  if (polled.kind === 'running') await reportProgress(context, job, polled.progress);
  return interpretPoll(job, polled, now);
}

/** A cancel is announced, and looked for with every heartbeat: a poll without one costs no statement. */
async function checkEarlyEnd({ db, clock }: WorkerContext, job: PolledJob): Promise<void> {
  const { hasNews } = job;
  job.hasNews = false;
  if (job.earlyOutcome || job.isReleased) return;
  const cancelled = hasNews ? await checkCancelled(db, job) : null;
  job.earlyOutcome = cancelled ?? checkExpired(job, clock.now());
}

/** Asks the upstream to cancel, once. True while polls go on after that: the job may have been done before. */
async function cancelAtUpstream({ clock }: WorkerContext, job: PolledJob): Promise<boolean> {
  if (job.cancelWaitEndsAt !== null) return clock.now() < job.cancelWaitEndsAt;
  const cancelled = await job.route.account.provider.cancel(attemptOf(job), job.ref);
  job.cancelWaitEndsAt = clock.now() + cancelTimeoutMs;
  // What was not stopped runs on there. A deadline that passed is no wish of the client, and costs nothing.
  if (cancelled.kind !== 'cancelled' && job.earlyOutcome?.kind === 'cancelled')
    job.earlyOutcome = { kind: 'cancelled', ...chargeOf(job, 'cancelled') };
  return cancelled.kind === 'requested';
}

/**
 * Null while the job goes on. A success stays one, also of a job that was requested to stop (decisions 2).
 */
function interpretPoll(job: PolledJob, polled: PollResult, now: number): PollingEnd | null {
  switch (polled.kind) {
    case 'running':
    case 'unreachable':
      return null;
    case 'missing':
      return job.earlyOutcome || isNoResultTimedOut(job, now)
        ? failed(
            stoppedInTime(job.earlyOutcome),
            'provider_unavailable',
            'the provider has no record of the job',
          )
        : null;
    case 'unreadable':
      return isNoResultTimedOut(job, now) ? { kind: 'ended', outcome: chargedWithoutResult(polled) } : null;
    case 'succeeded':
    case 'lost':
      return polled;
    case 'failed':
      return { kind: 'ended', outcome: failureOf(job, polled) };
    case 'cancelled':
      return failed(stoppedInTime(job.earlyOutcome), 'runtime_error', 'the provider cancelled the job');
  }
}

/** Counted from the first answer without a result; one that shows the job resets it. */
function isNoResultTimedOut(job: PolledJob, now: number): boolean {
  job.noResultSince ??= now;
  return now - job.noResultSince >= noResultTimeoutMs;
}

/** The result is charged but cannot be fetched here; the operator may, with what the upstream answered. */
function chargedWithoutResult({ error, usage }: PollResult & { kind: 'unreadable' }): Outcome {
  const what =
    'uncertain submission: the upstream completed the job without a readable result; it was not resent';
  const { message, answer } = error;
  const uncertainSubmission = { message, ...(answer !== undefined && { answer }) };
  return {
    kind: 'failed',
    error: jobError('submission_uncertain', what),
    uncertainSubmission,
    ...(usage && { usage }),
  };
}

/** The outcome that was decided here before, else a failure for that reason. */
const failed = (
  early: Outcome | null,
  code: 'provider_unavailable' | 'runtime_error',
  what: string,
): PollingEnd => ({ kind: 'ended', outcome: early ?? { kind: 'failed', error: jobError(code, what) } });

/**
 * How a job ends that failed at its upstream, with what that charges. One that is cancelled here, or whose error there
 * has the code `cancelled`, ends as cancelled.
 */
function failureOf(job: PolledJob, { error, usage }: PollResult & { kind: 'failed' }): Outcome {
  const charged = { ...(usage && { usage }), ...chargeOf(job, 'failed') };
  const end = job.earlyOutcome?.kind ?? (error.code === 'cancelled' ? 'cancelled' : 'failed');
  if (end === 'cancelled') return { kind: 'cancelled', ...charged };
  return job.earlyOutcome ?? { kind: 'failed', error: toJobError(error), ...charged };
}

/** Whether the upstream charges a job that ends so: see `ProviderTraits`. */
const chargeOf = ({ route, modelId }: PolledJob, end: 'failed' | 'cancelled') =>
  route.account.provider.traits(modelId).charges?.[end] === 'all' ? { isCharged: true } : {};

/** The upstream did stop it, or has no record of it any more, so that it charges nothing. */
const stoppedInTime = (early: Outcome | null): Outcome | null =>
  early?.kind === 'cancelled' ? { kind: 'cancelled' } : early;

/** Written only when it grew, and not more often than `progressIntervalMs`. */
async function reportProgress(
  { db, clock }: WorkerContext,
  job: PolledJob,
  progress: number | undefined,
): Promise<void> {
  const now = clock.now();
  if (progress === undefined || progress <= job.progress) return;
  if (now - job.progressWrittenAt < progressIntervalMs) return;
  job.progressWrittenAt = now;
  job.progress = progress;
  await recordProgress(db, job, progress);
}
