/** Narrows a submission whose outcome is unknown by what its upstream lists: candidates for the operator, or one to adopt. */
import { minutes, seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { CandidateList, ProviderError, ProviderTask, SubmissionCandidate } from '../domain/provider.ts';
import type { Attempt } from '../store/attempts/attempts.ts';
import { type NearbyAttempt, readNearbyAttempts } from '../store/attempts/nearby-attempts.ts';
import type { WorkerContext } from './context.ts';
import type { RunningJob } from './running-job.ts';

/** Lists lag, some until a run has ended: they are read again until one names a candidate, or for so long. */
const longestNarrowingMs = 5 * minutes;
const narrowingIntervalMs = 15 * seconds;

/** What is known of the call then. */
export type Narrowed =
  | { readonly kind: 'adopted'; readonly ref: { readonly id: string } }
  /** Empty where the list names none: that proves nothing. */
  | { readonly kind: 'uncertain'; readonly candidates: readonly SubmissionCandidate[] }
  /** The job ended meanwhile. */
  | { readonly kind: 'ended'; readonly outcome: Outcome };

/**
 * Reads the upstream's list after the latest time at which the call could arrive. One candidate is adopted only where
 * the operator's account allows it, and nothing else can be meant; it never leads to another call.
 */
export async function narrowSubmission(
  { db, clock }: WorkerContext,
  running: RunningJob,
  {
    task,
    open,
    latestArrival,
  }: { readonly task: ProviderTask; readonly open: Attempt; readonly latestArrival: number },
): Promise<Narrowed> {
  const { provider, id: account } = running.route.account;
  if (!provider.candidates) return { kind: 'uncertain', candidates: [] };
  const endsAt = Math.max(latestArrival, clock.now()) + longestNarrowingMs;
  for (;;) {
    const now = clock.now();
    if (now >= latestArrival) {
      const list = await provider.candidates(task, open.startedAt);
      const nearby = await readNearbyAttempts(db, { account, jobId: task.jobId, startedAt: open.startedAt });
      const unknown = withoutKnown(list, nearby);
      const ref = provider.traits(task.modelId).adoptsCandidates ? onlyMeaning(unknown, nearby) : null;
      if (ref) return { kind: 'adopted', ref };
      const candidates = unknown.candidates.filter(({ isNear }) => isNear);
      if (candidates.length > 0 || clock.now() >= endsAt) return { kind: 'uncertain', candidates };
    }
    const outcome = await running.waitForEnd(Math.max(latestArrival - now, narrowingIntervalMs));
    if (outcome) return { kind: 'ended', outcome };
  }
}

/** What is listed and belongs to no other attempt of this gateway; nothing of a list that cannot be read. */
function withoutKnown(list: CandidateList, nearby: readonly NearbyAttempt[]) {
  const known = new Set(nearby.map(({ upstreamId }) => upstreamId));
  const { candidates = [], isWhole = false } = list.kind === 'listed' ? list : {};
  return { candidates: candidates.filter(({ upstreamId }) => !known.has(upstreamId)), isWhole };
}

/** The only one of the window, of exactly that input, with none younger, while no other attempt waits for its answer. */
function onlyMeaning(
  { candidates, isWhole }: { readonly candidates: readonly SubmissionCandidate[]; readonly isWhole: boolean },
  nearby: readonly NearbyAttempt[],
): { readonly id: string } | null {
  const [only, ...others] = candidates;
  if (!only?.isNear || !only.isExact || others.length > 0 || !isWhole) return null;
  return nearby.some(({ isOpen }) => isOpen) ? null : { id: only.upstreamId };
}

/** How a job ends whose call may have been charged: listed for the operator, who resolves it as charged, not charged or resend. */
export const uncertainOutcome = (
  error?: ProviderError,
  candidates: readonly SubmissionCandidate[] = [],
): Outcome => ({
  kind: 'failed',
  error: jobError(
    'submission_uncertain',
    'uncertain submission: the outcome of the upstream call is unknown; it was not resent',
    error?.upstream,
  ),
  ...(candidates.length > 0 && {
    uncertainSubmission: {
      message: error?.message ?? 'no response received',
      ...(error?.answer !== undefined && { answer: error.answer }),
      candidates: candidates.map(({ upstreamId, sentAt }) => ({ upstreamId, sentAt })),
    },
  }),
});
