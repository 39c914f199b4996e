import { BlobsUnavailable } from '../domain/blobs.ts';
import { seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import { availableTopic, deliveryTopic, jobTopic, StoreUnavailable } from '../store/db/connection.ts';
import { retryWrite } from '../store/db/retry-write.ts';
import { settle } from '../store/jobs/claim.ts';
import { releaseJobs } from '../store/jobs/release.ts';
import type { WorkerContext } from './context.ts';
import type { LeasedJob } from './lease.ts';
import { type EndedJob, endedWith } from './run-job.ts';

/** A job whose result cannot be stored now is tried again after this long. */
const storageRetryMs = 15 * seconds;

/** Writes what came of a held job and tells whoever waits for it. Never rejects. */
export async function settleJob(
  parts: WorkerContext,
  hold: LeasedJob,
  { outcome, files }: EndedJob,
  stopping: AbortSignal,
): Promise<void> {
  const { db, clock } = parts;
  const write = () => settle(db, hold, outcome, clock.now(), files);
  const isSettled = await writeOutcome(parts, [hold], stopping, write);
  logEnd(parts, hold, outcome, isSettled ?? false);
  if (outcome.kind === 'interrupted') db.announce(availableTopic);
}

/** The same for many that only waited, when this worker stops or lost them. Never rejects. */
export async function settleInterrupted(
  parts: WorkerContext,
  holds: readonly LeasedJob[],
  stopping: AbortSignal,
): Promise<void> {
  const { db, clock } = parts;
  const back = await writeOutcome(parts, holds, stopping, () => releaseJobs(db, holds, clock.now()));
  for (const hold of holds) logEnd(parts, hold, { kind: 'interrupted' }, back?.has(hold.jobId) ?? false);
  db.announce(availableTopic);
}

/** Null when the worker stops while the database is away, or a bug kept it from being written. */
async function writeOutcome<T>(
  parts: WorkerContext,
  holds: readonly LeasedJob[],
  stopping: AbortSignal,
  write: () => Promise<T>,
): Promise<T | null> {
  try {
    return await retryWrite(parts, 'the end of a job', stopping, write);
  } catch (failure) {
    const jobs = holds.map(hold => hold.jobId);
    parts.log.error({ err: failure, jobs }, 'jobs could not be settled');
    return null;
  }
}

function logEnd(parts: WorkerContext, hold: LeasedJob, outcome: Outcome, isSettled: boolean): void {
  const { clock, log } = parts;
  const { jobId: job, modelId: model, startedAt } = hold;
  if (isSettled) {
    parts.onSettled(model, outcome.kind, (clock.now() - startedAt) / 1000);
    log.info({ job, model, outcome: outcome.kind, ...whyOf(outcome) }, 'job settled');
  } else {
    log.warn({ job }, 'the hold was lost: what was made of the job is dropped');
  }
  announceJob(parts, hold);
}

/** Tells that a job changed. */
export function announceJob({ db }: WorkerContext, { jobId, hasCallback }: LeasedJob): void {
  db.announce(jobTopic(jobId));
  if (hasCallback) db.announce(deliveryTopic);
}

/** What becomes of a job whose work threw. */
export function endAfterError(
  { clock, log }: WorkerContext,
  { jobId }: LeasedJob,
  failure: unknown,
): EndedJob {
  if (failure instanceof StoreUnavailable || failure instanceof BlobsUnavailable) {
    log.error({ err: failure, job: jobId }, 'storage trouble: the job goes back to the line');
    const reason = 'Storage was unavailable; the job is tried again';
    return endedWith({ kind: 'retry', dueAt: clock.now() + storageRetryMs, reason });
  }
  log.error({ err: failure, job: jobId }, 'a bug ended a job');
  return endedWith({ kind: 'failed', error: jobError('internal_error', 'something went wrong on our side') });
}

const whyOf = (outcome: Outcome) =>
  outcome.kind === 'failed' ? { error: outcome.error.code, why: outcome.error.message } : {};
