/** When a job is polled next: by the upstream's wish, the elapsed time, and the rate that all jobs share. */
import { minutes, seconds } from '../domain/clock.ts';
import type { PollResult } from '../domain/provider.ts';
import type { Route } from '../routing/routes.ts';

/** All jobs of a process together are polled at most this often, except while there are so few that it does not matter. */
const maxPollsPerSecond = 1_000;
const unthrottledJobs = 100;
/** The longest wait between two polls that we choose, and that an upstream may request. */
const longestPollMs = 10 * seconds;
const longestRequestedPollMs = 1 * minutes;
/** The wait between two polls where the upstream calls a webhook: a lost call costs a minute at most. */
const minFallbackPollMs = 30 * seconds;
const fallbackPollJitterMs = 30 * seconds;

/** What the interval of a polled job depends on. */
interface PollTiming {
  readonly route: Route;
  readonly modelId: string;
  /** Epoch ms. */
  readonly pollingStartedAt: number;
  /** Null unless the job ends before its upstream is done. */
  readonly earlyOutcome: object | null;
}

/** The least time between two polls of one job, where `inFlight` jobs share the rate. */
export const minPollIntervalMs = (inFlight: number): number =>
  inFlight <= unthrottledJobs ? 0 : (inFlight * seconds) / maxPollsPerSecond;

/** Milliseconds until the next poll after this one; `wasCalled`: the upstream called since the last. */
export function nextPollDelayMs(
  job: PollTiming,
  polled: PollResult,
  now: number,
  wasCalled: boolean,
): number {
  const { minPollMs } = job.route.account.provider.traits(job.modelId);
  const delayMs = pollIntervalMs(polled, now - job.pollingStartedAt, minPollMs);
  // Some upstreams call just before their answer changes, and a cancelled job is waited for.
  return wasCalled || job.earlyOutcome ? delayMs : Math.max(delayMs, fallbackPollDelayMs(polled));
}

/** As the upstream requests; else a tenth of the elapsed or remaining time: the nearer the end, the more often. */
function pollIntervalMs(polled: PollResult, elapsedMs: number, minPollMs: number): number {
  const requested = 'nextPollMs' in polled ? polled.nextPollMs : undefined;
  if (requested !== undefined) return Math.min(longestRequestedPollMs, Math.max(minPollMs, requested));
  const progress = polled.kind === 'running' ? (polled.progress ?? 0) : 0;
  const remainingMs = progress > 0 ? (elapsedMs * (1 - progress)) / progress : elapsedMs;
  return Math.min(longestPollMs, Math.max(minPollMs, Math.min(elapsedMs, remainingMs) / 10));
}

const fallbackPollDelayMs = (polled: PollResult): number =>
  polled.kind === 'running' && polled.callsBack
    ? minFallbackPollMs + Math.random() * fallbackPollJitterMs
    : 0;
