import { minutes, seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { PollResult, Production, ProviderAttempt } from '../domain/provider.ts';
import { recordProgress } from '../store/jobs/claim.ts';
import type { WorkerContext } from './context.ts';
import type { Due } from './due-heap.ts';
import { checkCancelled, checkExpired, type LeasedJob } from './lease.ts';
import { toJobError } from './submit.ts';

/** How long a provider that was asked to stop is waited for. */
const cancelTimeoutMs = 60 * seconds;
/** Progress is a hint for people: one write in this time is enough. */
const progressIntervalMs = 1 * seconds;
/** The longest wait between two polls that we choose, and that an upstream may ask for. */
const longestPollMs = 10 * seconds;
const longestAskedPollMs = 1 * minutes;
/** The wait between two polls where the upstream calls by itself, so that a call which is lost costs a minute at most. */
const minFallbackPollMs = 30 * seconds;
const fallbackPollJitterMs = 30 * seconds;
/** How long an upstream may not know a job that it accepted, or tell of no result that can be read: some are late. */
const noResultTimeoutMs = 2 * minutes;

/**
 * A job that only waits for its upstream. A hundred thousand of these are kept at a time: no promise, no timer,
 * and no input, which is read again when the wait is over.
 */
export interface PolledJob extends LeasedJob, Due {
  readonly attempt: number;
  readonly dedupeKey: string;
  readonly ref: unknown;
  readonly pollingStartedAt: number;
  /** How often a provider lost it before. */
  readonly losses: number;
  /** Removes the media that were brought here for it; null where none are kept. */
  readonly dropMedia: (() => Promise<void>) | null;
  /** Whether something was announced of it since the last visit. */
  hasNews: boolean;
  /** Whether its upstream called since the last visit began. */
  hasWebhook: boolean;
  /** When it was visited last, by the steady time of whoever follows it. */
  polledAt: number;
  /** Whether this worker stops, or lost the hold. */
  isReleased: boolean;
  /** Why it ends before its upstream is done, once that is known. */
  earlyOutcome: Outcome | null;
  /** Until when an upstream that was asked to stop is waited for. */
  cancelWaitEndsAt: number | null;
  /** Since when the upstream does not know it, or tells of an end without a result that can be read. */
  noResultSince: number | null;
  progress: number;
  progressNotedAt: number;
}

export type PollingOutcome =
  | { readonly kind: 'succeeded'; readonly production: Production }
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  /** The provider lost it, and sending it again costs nothing. */
  | { readonly kind: 'lost' };

export interface PollingStart
  extends Pick<
    PolledJob,
    'attempt' | 'dedupeKey' | 'ref' | 'losses' | 'dropMedia' | 'hasNews' | 'hasWebhook' | 'isReleased'
  > {
  readonly firstPollMs: number;
}

export function newPolledJob(held: LeasedJob, from: PollingStart, now: number): PolledJob {
  // Written out: what is spread takes half as much room again, and there are very many.
  return {
    jobId: held.jobId,
    holder: held.holder,
    claim: held.claim,
    modelId: held.modelId,
    route: held.route,
    startedAt: held.startedAt,
    expiresAt: held.expiresAt,
    hasCallback: held.hasCallback,
    attempt: from.attempt,
    dedupeKey: from.dedupeKey,
    ref: from.ref,
    losses: from.losses,
    dropMedia: from.dropMedia,
    hasNews: from.hasNews,
    hasWebhook: from.hasWebhook,
    polledAt: 0,
    isReleased: from.isReleased,
    pollingStartedAt: now,
    dueAt: Math.min(now + from.firstPollMs, held.expiresAt),
    heapIndex: -1,
    earlyOutcome: null,
    cancelWaitEndsAt: null,
    noResultSince: null,
    progress: 0,
    progressNotedAt: 0,
  };
}

/** How a provider knows it. */
export const attemptOf = ({ jobId, modelId, route, attempt, dedupeKey }: PolledJob): ProviderAttempt => ({
  jobId,
  modelId,
  upstreamModel: route.upstreamModel,
  attempt,
  dedupeKey,
});

/** Asks once how it goes; null while it goes on, and then it says when it is due again. */
export async function pollJob(
  parts: WorkerContext,
  job: PolledJob,
  crowdMs: () => number,
): Promise<PollingOutcome | null> {
  const { clock } = parts;
  const { provider } = job.route.account;
  const wasCalled = job.hasWebhook;
  job.hasWebhook = false;
  await checkJobEnd(parts, job);
  if (job.isReleased) return { kind: 'ended', outcome: { kind: 'interrupted' } };
  if (job.earlyOutcome && !(await isCancelling(parts, job)))
    return { kind: 'ended', outcome: job.earlyOutcome };

  const polled = await provider.poll(attemptOf(job), job.ref);
  const now = clock.now();
  const { minPollMs } = provider.traits(job.modelId);
  const paceMs = nextPollDelayMs(polled, now - job.pollingStartedAt, minPollMs);
  // Some call a moment before their answer follows, and whoever wants it stopped waits for its end.
  const safetyMs = wasCalled || job.earlyOutcome ? 0 : fallbackPollDelay(polled);
  const waitMs = Math.max(crowdMs(), paceMs, safetyMs);
  job.dueAt = Math.min(now + waitMs, job.earlyOutcome ? (job.cancelWaitEndsAt ?? now) : job.expiresAt);
  if (polled.kind !== 'missing' && polled.kind !== 'unreadable') job.noResultSince = null;
  if (polled.kind === 'running') await reportProgress(parts, job, polled.progress);
  return interpretPoll(job, polled, now);
}

/** A cancel is announced, and looked for with every heartbeat: a poll costs no statement. */
async function checkJobEnd({ db, clock }: WorkerContext, job: PolledJob): Promise<void> {
  const { hasNews } = job;
  job.hasNews = false;
  if (job.earlyOutcome || job.isReleased) return;
  const cancelled = hasNews ? await checkCancelled(db, job) : null;
  job.earlyOutcome = cancelled ?? checkExpired(job, clock.now());
}

/** Whether the upstream was asked to stop and is to be heard once more: it may have been done before. */
async function isCancelling({ clock }: WorkerContext, job: PolledJob): Promise<boolean> {
  if (job.cancelWaitEndsAt !== null) return clock.now() < job.cancelWaitEndsAt;
  const cancelled = await job.route.account.provider.cancel(attemptOf(job), job.ref);
  job.cancelWaitEndsAt = clock.now() + cancelTimeoutMs;
  return cancelled.kind === 'requested';
}

function interpretPoll(job: PolledJob, polled: PollResult, now: number): PollingOutcome | null {
  switch (polled.kind) {
    case 'running':
    case 'unreachable':
      return null;
    case 'missing':
      return job.earlyOutcome || isNoResultTimedOut(job, now)
        ? failed(job.earlyOutcome, 'provider_unavailable', 'the provider does not know the job')
        : null;
    case 'unreadable':
      return isNoResultTimedOut(job, now) ? { kind: 'ended', outcome: chargedWithoutResult(polled) } : null;
    case 'succeeded':
    case 'lost':
      return polled;
    case 'failed':
      return { kind: 'ended', outcome: job.earlyOutcome ?? outcomeOf(polled) };
    case 'cancelled':
      return failed(job.earlyOutcome, 'runtime_error', 'the provider stopped the job');
  }
}

function isNoResultTimedOut(job: PolledJob, now: number): boolean {
  job.noResultSince ??= now;
  return now - job.noResultSince >= noResultTimeoutMs;
}

/** What it made is charged, and nobody here can fetch it: the operator can, by what the upstream answered. */
function chargedWithoutResult({ error, usage }: PollResult & { kind: 'unreadable' }): Outcome {
  const what = 'the upstream made it, but names no result that can be read; it was not sent again';
  const { message, answer } = error;
  const uncertainSubmission = { message, ...(answer !== undefined && { answer }) };
  return {
    kind: 'failed',
    error: jobError('submission_uncertain', what),
    uncertainSubmission,
    ...(usage && { usage }),
  };
}

const failed = (
  early: Outcome | null,
  code: 'provider_unavailable' | 'runtime_error',
  what: string,
): PollingOutcome => ({ kind: 'ended', outcome: early ?? { kind: 'failed', error: jobError(code, what) } });

/** As the upstream asks; else the more often, the sooner the end is to be expected: a tenth of the time gone by. */
function nextPollDelayMs(polled: PollResult, followedMs: number, minPollMs: number): number {
  const asked = 'nextPollMs' in polled ? polled.nextPollMs : undefined;
  if (asked !== undefined) return Math.min(longestAskedPollMs, Math.max(minPollMs, asked));
  const progress = polled.kind === 'running' ? (polled.progress ?? 0) : 0;
  const restMs = progress > 0 ? (followedMs * (1 - progress)) / progress : followedMs;
  return Math.min(longestPollMs, Math.max(minPollMs, Math.min(followedMs, restMs) / 10));
}

const fallbackPollDelay = (polled: PollResult): number =>
  polled.kind === 'running' && polled.callsBack
    ? minFallbackPollMs + Math.random() * fallbackPollJitterMs
    : 0;

/** The code `cancelled` and the state of that name go together. */
const outcomeOf = ({ error, usage }: PollResult & { kind: 'failed' }): Outcome =>
  error.code === 'cancelled'
    ? { kind: 'cancelled' }
    : { kind: 'failed', error: toJobError(error), ...(usage && { usage }) };

async function reportProgress(
  { db, clock }: WorkerContext,
  job: PolledJob,
  progress: number | undefined,
): Promise<void> {
  const now = clock.now();
  if (progress === undefined || progress <= job.progress) return;
  if (now - job.progressNotedAt < progressIntervalMs) return;
  job.progressNotedAt = now;
  job.progress = progress;
  await recordProgress(db, job, progress);
}
