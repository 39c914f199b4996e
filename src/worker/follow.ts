import { minutes, seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { PollResult, Production, ProviderError } from '../domain/provider.ts';
import { noteProgress } from '../store/claims.ts';
import type { Holding } from './holding.ts';
import type { WorkerParts } from './parts.ts';
import { type Accepted, failureOf } from './submit.ts';

/** How long a provider that was asked to stop is waited for. */
const cancelPatienceMs = 60 * seconds;
/** Progress is a hint for people: one write in this time is enough. */
const progressEveryMs = 1 * seconds;
/** The longest wait between two polls that we choose, and that an upstream may ask for. */
const longestPollMs = 10 * seconds;
const longestAskedPollMs = 1 * minutes;
/** How long an upstream may not know a job that it accepted: some tell of it late. */
const missingPatienceMs = 2 * minutes;

export type Followed =
  | { readonly kind: 'succeeded'; readonly production: Production }
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  /** The provider lost it, and sending it again costs nothing. */
  | { readonly kind: 'lost' };

/** Polls from memory until there is an end; stops for a cancel, the deadline and the end of this worker. */
export async function follow(parts: WorkerParts, holding: Holding, accepted: Accepted): Promise<Followed> {
  const { clock } = parts;
  const { job, nudge, signal } = holding;
  const { provider } = holding.route.account;
  const { minPollMs } = provider.traits(job.modelId);
  const { task, ref, settled } = accepted;
  const noteNews = progressNoter(parts, holding);
  const followedAt = clock.now();
  let waitMs = Math.max(accepted.pollMs, Math.random() * holding.crowdMs());
  let stopsBy = Number.POSITIVE_INFINITY;
  let missingSince: number | null = null;
  let early: Outcome | null = null;
  settled?.then(nudge.wake, nudge.wake);

  for (;;) {
    const hasNews = await nudge.sleep(
      Math.max(0, Math.min(waitMs, job.expiresAt - clock.now(), stopsBy - clock.now())),
    );
    // A cancel is announced, and looked for with every heartbeat: a poll costs no statement.
    early ??= hasNews ? await holding.whyEnd() : holding.whyEndByTime();
    if (signal.aborted) return { kind: 'ended', outcome: { kind: 'interrupted' } };
    if (early && clock.now() >= stopsBy) return { kind: 'ended', outcome: early };
    if (early && stopsBy === Number.POSITIVE_INFINITY) {
      const cancelled = await provider.cancel(task, ref);
      if (cancelled.kind !== 'requested') return { kind: 'ended', outcome: early };
      stopsBy = clock.now() + cancelPatienceMs;
    }
    const polled = await provider.poll(task, ref);
    waitMs = Math.max(holding.crowdMs(), pollAgainAfter(polled, clock.now() - followedAt, minPollMs));
    if (polled.kind !== 'missing') missingSince = null;
    switch (polled.kind) {
      case 'running':
        await noteNews(polled.progress);
        break;
      case 'unreachable':
        break;
      case 'missing':
        missingSince ??= clock.now();
        if (early || clock.now() - missingSince >= missingPatienceMs)
          return failed(early, 'provider_unavailable', 'the provider does not know the job');
        break;
      case 'succeeded':
      case 'lost':
        return polled;
      case 'failed':
        return { kind: 'ended', outcome: early ?? outcomeOf(polled.error) };
      case 'cancelled':
        return failed(early, 'runtime_error', 'the provider stopped the job');
    }
  }
}

const failed = (
  early: Outcome | null,
  code: 'provider_unavailable' | 'runtime_error',
  what: string,
): Followed => ({ kind: 'ended', outcome: early ?? { kind: 'failed', error: jobError(code, what) } });

/** As the upstream asks; else the more often, the sooner the end is to be expected: a tenth of the time gone by. */
function pollAgainAfter(polled: PollResult, followedMs: number, minPollMs: number): number {
  const asked = 'nextPollMs' in polled ? polled.nextPollMs : undefined;
  if (asked !== undefined) return Math.min(longestAskedPollMs, Math.max(minPollMs, asked));
  const progress = polled.kind === 'running' ? (polled.progress ?? 0) : 0;
  const restMs = progress > 0 ? (followedMs * (1 - progress)) / progress : followedMs;
  return Math.min(longestPollMs, Math.max(minPollMs, Math.min(followedMs, restMs) / 10));
}

/** The code `cancelled` and the state of that name go together. */
const outcomeOf = (error: ProviderError): Outcome =>
  error.code === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', error: failureOf(error) };

function progressNoter({ db, clock }: WorkerParts, { hold }: Holding) {
  let notedAt = 0;
  let noted = 0;
  return async (progress: number | undefined) => {
    if (progress === undefined || progress <= noted || clock.now() - notedAt < progressEveryMs) return;
    notedAt = clock.now();
    noted = progress;
    await noteProgress(db, hold, progress);
  };
}
