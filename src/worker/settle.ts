// Writes the outcome of a leased job, announces and logs it. A lost lease is found here: then nothing is written.
import { BlobsUnavailable } from '../domain/blobs.ts';
import { seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import { availableTopic, deliveryTopic, jobTopic, StoreUnavailable } from '../store/db/connection.ts';
import { retryWrite } from '../store/db/retry-write.ts';
import { releaseJobs } from '../store/jobs/release.ts';
import { settle } from '../store/jobs/settle.ts';
import type { WorkerContext } from './context.ts';
import { type EndedJob, endedWith, interrupted, type LeasedJob } from './running-job.ts';

/** A job whose result cannot be stored now is requeued for this long. */
const storageRetryMs = 15 * seconds;

/** Write the outcome, where the lease still stands → log → announce. Never rejects. */
export async function settleJob(
  context: WorkerContext,
  lease: LeasedJob,
  { outcome, files }: EndedJob,
  /** Aborts when the worker stops: then the write no longer waits for a database that is unavailable. */
  stopping: AbortSignal,
): Promise<void> {
  const { db, clock } = context;
  const write = () => settle(db, lease, outcome, clock.now(), files);
  const isSettled = await writeOutcome(context, [lease], stopping, write);
  logEnd(context, lease, outcome, isSettled ?? false);
  if (outcome.kind === 'interrupted') db.announce(availableTopic);
}

/** Requeues polled jobs in one transaction, when this worker stops or lost its lease. Never rejects. */
export async function settleInterrupted(
  context: WorkerContext,
  leases: readonly LeasedJob[],
  stopping: AbortSignal,
): Promise<void> {
  const { db, clock } = context;
  const write = () => releaseJobs(db, leases, clock.now());
  const released = await writeOutcome(context, leases, stopping, write);
  for (const lease of leases) logEnd(context, lease, interrupted, released?.has(lease.jobId) ?? false);
  db.announce(availableTopic);
}

/** Null when the worker stops while the database is unavailable, or a bug keeps the outcome from being written. */
async function writeOutcome<T>(
  context: WorkerContext,
  leases: readonly LeasedJob[],
  stopping: AbortSignal,
  write: () => Promise<T>,
): Promise<T | null> {
  try {
    return await retryWrite(context, 'job outcome', stopping, write);
  } catch (failure) {
    const jobs = leases.map(lease => lease.jobId);
    context.log.error({ err: failure, jobs }, 'settling jobs failed');
    return null;
  }
}

/** Logs, counts and announces the end. `isSettled` is false where the lease was lost: another worker settles the job. */
function logEnd(context: WorkerContext, lease: LeasedJob, outcome: Outcome, isSettled: boolean): void {
  const { clock, log } = context;
  const { jobId: job, modelId: model, startedAt } = lease;
  if (isSettled) {
    context.onSettled(model, outcome.kind, (clock.now() - startedAt) / 1000);
    log.info({ job, model, outcome: outcome.kind, ...errorOf(outcome) }, 'job settled');
  } else {
    log.warn({ job }, 'lease lost, result discarded');
  }
  announceJob(context, lease);
}

/** Announces that a job changed, to waiting requests and to the callback dispatcher. */
export function announceJob({ db }: WorkerContext, { jobId, hasCallback }: LeasedJob): void {
  db.announce(jobTopic(jobId));
  if (hasCallback) db.announce(deliveryTopic);
}

/** Unavailable storage requeues the job; any other error is a bug and fails it. */
export function endAfterError(
  { clock, log }: WorkerContext,
  { jobId }: LeasedJob,
  failure: unknown,
): EndedJob {
  if (failure instanceof StoreUnavailable || failure instanceof BlobsUnavailable) {
    log.error({ err: failure, job: jobId }, 'storage unavailable, job requeued');
    const reason = 'Requeued: storage unavailable';
    return endedWith({ kind: 'retry', dueAt: clock.now() + storageRetryMs, reason });
  }
  log.error({ err: failure, job: jobId }, 'job failed: internal error');
  // The client learns no more than that: the message of a bug may contain secrets.
  return endedWith({ kind: 'failed', error: jobError('internal_error', 'something went wrong on our side') });
}

/** Code and sentence of a failure, and what to do about it, as fields of the log line. */
function errorOf(outcome: Outcome) {
  if (outcome.kind !== 'failed') return {};
  const { error, remedy } = outcome;
  return { error: error.code, reason: error.message, ...(remedy && { remedy: remedy.message }) };
}
