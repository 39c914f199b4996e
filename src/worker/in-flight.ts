// The jobs in flight in this worker: a few that run, each in an asynchronous function, and very many that only wait
// for their upstream, each a record of the poller.
import type { WorkerId } from '../domain/ids.ts';
import type { Job } from '../domain/job.ts';
import type { Account, Route } from '../routing/routes.ts';
import type { Attempt } from '../store/attempts/attempts.ts';
import type { ResumedJob } from '../store/jobs/resume.ts';
import { finishPolling, releasePolledJobs } from './after-polling.ts';
import type { WorkerContext } from './context.ts';
import { executeJob, type InFlight, runningJobOf, startPolling } from './execute-job.ts';
import { openInFlightCounts } from './in-flight-counts.ts';
import { minPollIntervalMs } from './poll-interval.ts';
import { openPoller } from './poller.ts';
import { runJob } from './run-job.ts';
import type { LeasedJob } from './running-job.ts';
import { announceJob } from './settle.ts';
import { gcTuningMinJobs, tuneGc } from './tune-gc.ts';

export interface InFlightJobs {
  /** How many jobs of an account are in flight here. */
  readonly countForAccount: (accountId: string) => number;
  /** Whether a job uses this very account, which may have been replaced by one with the same id. */
  readonly usesAccount: (account: Account) => boolean;
  /** Whether a job is in flight that may crash this process. */
  readonly hasSuspect: () => boolean;
  /** Runs a claimed job. `lastAttempt` is that of an earlier claim. */
  start(job: Job, route: Route, holder: WorkerId, lastAttempt: Attempt | null): void;
  /** Polls a claimed job that its upstream works on already. */
  resume(job: ResumedJob, modelId: string, route: Route, holder: WorkerId): void;
  /** Something was announced of a job: a cancel, for one. */
  wake(jobId: string): void;
  /** The upstream of a job called: it is polled as soon as its provider allows. */
  onWebhook(jobId: string): void;
  /** Aborts whatever runs and ends all polls: each job is requeued, or discarded where its lease was lost. */
  releaseAll(): void;
  /** Releases all, and resolves once no job is in flight. */
  drain(): Promise<void>;
}

export interface InFlightOptions {
  /** Aborts when the worker stops: writes no longer wait for a database that is unavailable. */
  readonly stopping: AbortSignal;
  /** Called for every slot that becomes free. */
  readonly onSlotFreed: () => void;
}

/** Jobs go from `running` to the poller and back as their upstream accepts, completes or loses them. */
export function openInFlightJobs(
  context: WorkerContext,
  { stopping, onSlotFreed }: InFlightOptions,
): InFlightJobs {
  const counts = openInFlightCounts(onSlotFreed);
  const poller = openPoller(context, {
    minIntervalMs: () => minPollIntervalMs(counts.size()),
    onEnd: (job, end) => finishPolling(inFlight, job, end),
  });
  const inFlight: InFlight = { context, stopping, counts, running: new Map(), poller };

  return {
    countForAccount: counts.countForAccount,
    usesAccount: counts.usesAccount,
    hasSuspect: counts.hasSuspect,
    start(job, route, holder, lastAttempt) {
      const lease = leaseOf(job, route, holder, context.clock.now());
      if (job.crashes > 0) counts.addSuspect(lease);
      add(inFlight, lease, job.dueAt);
      void executeJob(inFlight, lease, { losses: 0, isReleased: false }, signals =>
        runJob(context, runningJobOf(inFlight, lease, job, lastAttempt, signals), 0),
      );
    },
    resume(job, modelId, route, holder) {
      const { jobId, claim, startedAt, expiresAt, hasCallback, isCancelRequested: hasNews } = job;
      const lease = { jobId, holder, claim, modelId, route, startedAt, expiresAt, hasCallback };
      add(inFlight, lease, job.dueAt);
      const { attempt, dedupeKey, ref } = job;
      const initial = { losses: 0, isReleased: false, hasWebhook: false, removeInputs: null, firstPollMs: 0 };
      startPolling(inFlight, lease, { attempt, dedupeKey, ref, hasNews, ...initial });
    },
    wake(jobId) {
      inFlight.running.get(jobId)?.wakeup.wake();
      poller.wake(jobId);
    },
    onWebhook(jobId) {
      const signals = inFlight.running.get(jobId);
      if (signals) signals.hasWebhook = true;
      poller.onWebhook(jobId);
    },
    releaseAll: () => releaseAll(inFlight),
    async drain() {
      releaseAll(inFlight);
      await counts.whenEmpty();
      poller.close();
    },
  };
}

/** Jobs that run end by their own signal; those that wait are released in batches. */
function releaseAll(inFlight: InFlight): void {
  for (const signals of inFlight.running.values()) signals.abort();
  void releasePolledJobs(inFlight, inFlight.poller.releaseAll());
}

/** Counts a claimed job, announces its new status, and records how long it was in the queue. */
function add({ context, counts }: InFlight, lease: LeasedJob, dueAt: number): void {
  const { jobId: job, modelId, claim } = lease;
  const attributes = { 'atelier.model': modelId, 'atelier.claim': claim };
  const endedAt = context.clock.now();
  context.tracing.recordSpan({ job, name: 'queue', startedAt: dueAt, endedAt, attributes });
  announceJob(context, lease);
  counts.add(lease);
  if (counts.size() === gcTuningMinJobs) tuneGc();
}

/** A first claim has no start in its row yet. */
const leaseOf = (
  { id: jobId, claim, modelId, startedAt, expiresAt, callbackUrl }: Job,
  route: Route,
  holder: WorkerId,
  now: number,
): LeasedJob => ({
  jobId,
  holder,
  claim,
  modelId,
  route,
  startedAt: startedAt ?? now,
  expiresAt,
  hasCallback: callbackUrl !== null,
});
