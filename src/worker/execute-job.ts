// The executor of one leased job: runs it in an asynchronous function until it is settled or accepted, and has it
// polled from then on. Errors, stops and lost leases of a run end here.
import type { Job } from '../domain/job.ts';
import type { Attempt } from '../store/attempts/attempts.ts';
import type { WorkerContext } from './context.ts';
import type { InFlightCounts } from './in-flight-counts.ts';
import { minPollIntervalMs } from './poll-interval.ts';
import { newPolledJob, type PolledJob, type PollingStart } from './poll-job.ts';
import type { Poller } from './poller.ts';
import type { AcceptedJob } from './run-job.ts';
import {
  type EndedJob,
  type JobSignals,
  type LeasedJob,
  openJobSignals,
  openRunningJob,
  type RunningJob,
} from './running-job.ts';
import { endAfterError, settleJob } from './settle.ts';

/** The value that all functions over the jobs in flight share. */
export interface InFlight {
  readonly context: WorkerContext;
  /** Aborts when the worker stops. */
  readonly stopping: AbortSignal;
  readonly counts: InFlightCounts;
  /** Signals of the jobs that run, by job id. */
  readonly running: Map<string, JobSignals>;
  readonly poller: Poller;
}

/**
 * Run → settle, or run → poll where the upstream accepted it. Never rejects. `isReleased`: the worker stopped, or lost
 * the lease, before this began.
 */
export async function executeJob(
  inFlight: InFlight,
  lease: LeasedJob,
  { losses, isReleased }: Pick<PolledJob, 'losses' | 'isReleased'>,
  run: (signals: JobSignals) => Promise<AcceptedJob | EndedJob>,
): Promise<void> {
  const { context, running, poller } = inFlight;
  const signals = openJobSignals(context);
  if (isReleased) signals.abort();
  // This process claimed the job again after it lost the lease: what still runs under the lost one is aborted.
  running.get(lease.jobId)?.abort();
  running.set(lease.jobId, signals);
  const result = await run(signals).catch((failure: unknown) => endAfterError(context, lease, failure));
  // The entry may be that of the next claim by now, which a stop has to find.
  if (running.get(lease.jobId) === signals) running.delete(lease.jobId);
  if (result.kind === 'ended') return settleAndRemove(inFlight, lease, result);
  const { attempt, dedupeKey } = result.attempt;
  const { ref, firstPollMs, finished, removeInputs } = result;
  const { wakeup, signal, hasWebhook } = signals;
  const state = { losses, removeInputs, hasNews: wakeup.hasNews(), hasWebhook, isReleased: signal.aborted };
  startPolling(inFlight, lease, { attempt, dedupeKey, ref, firstPollMs, ...state });
  const wake = () => poller.wake(lease.jobId);
  finished?.then(wake, wake);
}

/** Adds the row, the last attempt and the checks that a run needs. */
export function runningJobOf(
  { context, counts }: InFlight,
  lease: LeasedJob,
  job: Job,
  lastAttempt: Attempt | null,
  { wakeup, signal }: JobSignals,
): RunningJob {
  // The cancel was requested before this claim, so it is not announced again.
  if (job.cancelRequestedAt !== null) wakeup.wake();
  const onAccepted = () => counts.clearSuspect(lease);
  const { jobId, holder, claim, modelId, route, startedAt, expiresAt, hasCallback } = lease;
  const leased = { jobId, holder, claim, modelId, route, startedAt, expiresAt, hasCallback };
  return openRunningJob(context, { ...leased, job, lastAttempt, onAccepted, wakeup, signal });
}

/** First polls of many jobs are spread over the time that one round of polls takes. */
export function startPolling(
  { context, counts, poller }: InFlight,
  lease: LeasedJob,
  from: PollingStart,
): void {
  const spreadMs = Math.random() * minPollIntervalMs(counts.size());
  const firstPollMs = Math.max(from.firstPollMs, spreadMs);
  poller.add(newPolledJob(lease, { ...from, firstPollMs }, context.clock.now()));
}

export async function settleAndRemove(
  { context, counts, stopping }: InFlight,
  lease: LeasedJob,
  ended: EndedJob,
): Promise<void> {
  await settleJob(context, lease, ended, stopping);
  counts.remove(lease);
}
