import { minutes, seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { PollResult, Production, ProviderAttempt } from '../domain/provider.ts';
import { noteProgress } from '../store/claims.ts';
import type { Due } from './due-heap.ts';
import { type Held, whyCancelled, whyLate } from './holding.ts';
import type { WorkerParts } from './parts.ts';
import { failureOf } from './submit.ts';

/** How long a provider that was asked to stop is waited for. */
const cancelPatienceMs = 60 * seconds;
/** Progress is a hint for people: one write in this time is enough. */
const progressEveryMs = 1 * seconds;
/** The longest wait between two polls that we choose, and that an upstream may ask for. */
const longestPollMs = 10 * seconds;
const longestAskedPollMs = 1 * minutes;
/** The wait between two polls where the upstream calls by itself, so that a call which is lost costs a minute at most. */
const leastSafetyMs = 30 * seconds;
const safetySpreadMs = 30 * seconds;
/** How long an upstream may not know a job that it accepted, or tell of no result that can be read: some are late. */
const barrenPatienceMs = 2 * minutes;

/**
 * A job that only waits for its upstream. A hundred thousand of these are kept at a time: no promise, no timer,
 * and no input, which is read again when the wait is over.
 */
export interface FollowedJob extends Held, Due {
  readonly attempt: number;
  readonly dedupeKey: string;
  readonly ref: unknown;
  readonly followedAt: number;
  /** How often a provider lost it before. */
  readonly losses: number;
  /** Removes the media that were brought here for it; null where none are kept. */
  readonly dropMedia: (() => Promise<void>) | null;
  /** Whether something was announced of it since the last visit. */
  hasNews: boolean;
  /** Whether its upstream called since the last visit began. */
  isCalled: boolean;
  /** When it was visited last, by the steady time of whoever follows it. */
  visitedAt: number;
  /** Whether this worker stops, or lost the hold. */
  isDropped: boolean;
  /** Why it ends before its upstream is done, once that is known. */
  early: Outcome | null;
  /** Until when an upstream that was asked to stop is waited for. */
  stopsBy: number | null;
  /** Since when the upstream does not know it, or tells of an end without a result that can be read. */
  barrenSince: number | null;
  progress: number;
  progressNotedAt: number;
}

export type FollowedTo =
  | { readonly kind: 'succeeded'; readonly production: Production }
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  /** The provider lost it, and sending it again costs nothing. */
  | { readonly kind: 'lost' };

export interface FollowFrom
  extends Pick<
    FollowedJob,
    'attempt' | 'dedupeKey' | 'ref' | 'losses' | 'dropMedia' | 'hasNews' | 'isCalled' | 'isDropped'
  > {
  readonly firstPollMs: number;
}

export function beginFollowing(held: Held, from: FollowFrom, now: number): FollowedJob {
  // Written out: what is spread takes half as much room again, and there are very many.
  return {
    jobId: held.jobId,
    holder: held.holder,
    claim: held.claim,
    modelId: held.modelId,
    route: held.route,
    startedAt: held.startedAt,
    expiresAt: held.expiresAt,
    isCalledBack: held.isCalledBack,
    attempt: from.attempt,
    dedupeKey: from.dedupeKey,
    ref: from.ref,
    losses: from.losses,
    dropMedia: from.dropMedia,
    hasNews: from.hasNews,
    isCalled: from.isCalled,
    visitedAt: 0,
    isDropped: from.isDropped,
    followedAt: now,
    dueAt: Math.min(now + from.firstPollMs, held.expiresAt),
    place: -1,
    early: null,
    stopsBy: null,
    barrenSince: null,
    progress: 0,
    progressNotedAt: 0,
  };
}

/** How a provider knows it. */
export const attemptOf = ({ jobId, modelId, route, attempt, dedupeKey }: FollowedJob): ProviderAttempt => ({
  jobId,
  modelId,
  upstreamModel: route.upstreamModel,
  attempt,
  dedupeKey,
});

/** Asks once how it goes; null while it goes on, and then it says when it is due again. */
export async function visit(
  parts: WorkerParts,
  job: FollowedJob,
  crowdMs: () => number,
): Promise<FollowedTo | null> {
  const { clock } = parts;
  const { provider } = job.route.account;
  const wasCalled = job.isCalled;
  job.isCalled = false;
  await lookForEnd(parts, job);
  if (job.isDropped) return { kind: 'ended', outcome: { kind: 'interrupted' } };
  if (job.early && !(await isStopping(parts, job))) return { kind: 'ended', outcome: job.early };

  const polled = await provider.poll(attemptOf(job), job.ref);
  const now = clock.now();
  const { minPollMs } = provider.traits(job.modelId);
  const paceMs = pollAgainAfter(polled, now - job.followedAt, minPollMs);
  // Some call a moment before their answer follows, and whoever wants it stopped waits for its end.
  const safetyMs = wasCalled || job.early ? 0 : safetyWait(polled);
  const waitMs = Math.max(crowdMs(), paceMs, safetyMs);
  job.dueAt = Math.min(now + waitMs, job.early ? (job.stopsBy ?? now) : job.expiresAt);
  if (polled.kind !== 'missing' && polled.kind !== 'unreadable') job.barrenSince = null;
  if (polled.kind === 'running') await noteNews(parts, job, polled.progress);
  return judge(job, polled, now);
}

/** A cancel is announced, and looked for with every heartbeat: a poll costs no statement. */
async function lookForEnd({ db, clock }: WorkerParts, job: FollowedJob): Promise<void> {
  const { hasNews } = job;
  job.hasNews = false;
  if (job.early || job.isDropped) return;
  const cancelled = hasNews ? await whyCancelled(db, job) : null;
  job.early = cancelled ?? whyLate(job, clock.now());
}

/** Whether the upstream was asked to stop and is to be heard once more: it may have been done before. */
async function isStopping({ clock }: WorkerParts, job: FollowedJob): Promise<boolean> {
  if (job.stopsBy !== null) return clock.now() < job.stopsBy;
  const cancelled = await job.route.account.provider.cancel(attemptOf(job), job.ref);
  job.stopsBy = clock.now() + cancelPatienceMs;
  return cancelled.kind === 'requested';
}

function judge(job: FollowedJob, polled: PollResult, now: number): FollowedTo | null {
  switch (polled.kind) {
    case 'running':
    case 'unreachable':
      return null;
    case 'missing':
      return job.early || isBarren(job, now)
        ? failed(job.early, 'provider_unavailable', 'the provider does not know the job')
        : null;
    case 'unreadable':
      return isBarren(job, now) ? { kind: 'ended', outcome: paidFor(polled) } : null;
    case 'succeeded':
    case 'lost':
      return polled;
    case 'failed':
      return { kind: 'ended', outcome: job.early ?? outcomeOf(polled) };
    case 'cancelled':
      return failed(job.early, 'runtime_error', 'the provider stopped the job');
  }
}

function isBarren(job: FollowedJob, now: number): boolean {
  job.barrenSince ??= now;
  return now - job.barrenSince >= barrenPatienceMs;
}

/** What it made is charged, and nobody here can fetch it: the operator can, by what the upstream answered. */
function paidFor({ error, usage }: PollResult & { kind: 'unreadable' }): Outcome {
  const what = 'the upstream made it, but names no result that can be read; it was not sent again';
  const { message, answer } = error;
  const doubt = { message, ...(answer !== undefined && { answer }) };
  return { kind: 'failed', error: jobError('submission_uncertain', what), doubt, ...(usage && { usage }) };
}

const failed = (
  early: Outcome | null,
  code: 'provider_unavailable' | 'runtime_error',
  what: string,
): FollowedTo => ({ kind: 'ended', outcome: early ?? { kind: 'failed', error: jobError(code, what) } });

/** As the upstream asks; else the more often, the sooner the end is to be expected: a tenth of the time gone by. */
function pollAgainAfter(polled: PollResult, followedMs: number, minPollMs: number): number {
  const asked = 'nextPollMs' in polled ? polled.nextPollMs : undefined;
  if (asked !== undefined) return Math.min(longestAskedPollMs, Math.max(minPollMs, asked));
  const progress = polled.kind === 'running' ? (polled.progress ?? 0) : 0;
  const restMs = progress > 0 ? (followedMs * (1 - progress)) / progress : followedMs;
  return Math.min(longestPollMs, Math.max(minPollMs, Math.min(followedMs, restMs) / 10));
}

const safetyWait = (polled: PollResult): number =>
  polled.kind === 'running' && polled.callsBack ? leastSafetyMs + Math.random() * safetySpreadMs : 0;

/** The code `cancelled` and the state of that name go together. */
const outcomeOf = ({ error, usage }: PollResult & { kind: 'failed' }): Outcome =>
  error.code === 'cancelled'
    ? { kind: 'cancelled' }
    : { kind: 'failed', error: failureOf(error), ...(usage && { usage }) };

async function noteNews(
  { db, clock }: WorkerParts,
  job: FollowedJob,
  progress: number | undefined,
): Promise<void> {
  const now = clock.now();
  if (progress === undefined || progress <= job.progress) return;
  if (now - job.progressNotedAt < progressEveryMs) return;
  job.progressNotedAt = now;
  job.progress = progress;
  await noteProgress(db, job, progress);
}
