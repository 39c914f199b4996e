import { BlobsUnavailable } from '../domain/blobs.ts';
import { seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import { settle } from '../store/claims.ts';
import { availableTopic, deliveryTopic, jobTopic, StoreUnavailable } from '../store/connection.ts';
import { handBack } from '../store/hand-back.ts';
import type { Held } from './holding.ts';
import type { WorkerParts } from './parts.ts';
import { type Ended, end } from './step.ts';
import { surely } from './surely.ts';

/** A job whose result cannot be stored now is tried again after this long. */
const storageRetryMs = 15 * seconds;

/** Writes what came of a held job and tells whoever waits for it. Never rejects. */
export async function conclude(
  parts: WorkerParts,
  hold: Held,
  { outcome, files }: Ended,
  stopping: AbortSignal,
): Promise<void> {
  const { db, clock } = parts;
  const write = () => settle(db, hold, outcome, clock.now(), files);
  const isSettled = await writeEnd(parts, [hold], stopping, write);
  tellEnd(parts, hold, outcome, isSettled ?? false);
  if (outcome.kind === 'interrupted') db.announce(availableTopic);
}

/** The same for many that only waited, when this worker stops or lost them. Never rejects. */
export async function concludeInterrupted(
  parts: WorkerParts,
  holds: readonly Held[],
  stopping: AbortSignal,
): Promise<void> {
  const { db, clock } = parts;
  const back = await writeEnd(parts, holds, stopping, () => handBack(db, holds, clock.now()));
  for (const hold of holds) tellEnd(parts, hold, { kind: 'interrupted' }, back?.has(hold.jobId) ?? false);
  db.announce(availableTopic);
}

/** Null when the worker stops while the database is away, or a bug kept it from being written. */
async function writeEnd<T>(
  parts: WorkerParts,
  holds: readonly Held[],
  stopping: AbortSignal,
  write: () => Promise<T>,
): Promise<T | null> {
  try {
    return await surely(parts, 'the end of a job', stopping, write);
  } catch (failure) {
    const jobs = holds.map(hold => hold.jobId);
    parts.log.error({ err: failure, jobs }, 'jobs could not be settled');
    return null;
  }
}

function tellEnd(parts: WorkerParts, hold: Held, outcome: Outcome, isSettled: boolean): void {
  const { clock, log } = parts;
  const { jobId: job, modelId: model, startedAt } = hold;
  if (isSettled) {
    parts.onSettled(model, outcome.kind, (clock.now() - startedAt) / 1000);
    log.info({ job, model, outcome: outcome.kind, ...whyOf(outcome) }, 'job settled');
  } else {
    log.warn({ job }, 'the hold was lost: what was made of the job is dropped');
  }
  tellOf(parts, hold);
}

/** Tells that a job changed. */
export function tellOf({ db }: WorkerParts, { jobId, isCalledBack }: Held): void {
  db.announce(jobTopic(jobId));
  if (isCalledBack) db.announce(deliveryTopic);
}

/** What becomes of a job whose work threw. */
export function afterFailure({ clock, log }: WorkerParts, { jobId }: Held, failure: unknown): Ended {
  if (failure instanceof StoreUnavailable || failure instanceof BlobsUnavailable) {
    log.error({ err: failure, job: jobId }, 'storage trouble: the job goes back to the line');
    const reason = 'Storage was unavailable; the job is tried again';
    return end({ kind: 'retry', dueAt: clock.now() + storageRetryMs, reason });
  }
  log.error({ err: failure, job: jobId }, 'a bug ended a job');
  return end({ kind: 'failed', error: jobError('internal_error', 'something went wrong on our side') });
}

const whyOf = (outcome: Outcome) =>
  outcome.kind === 'failed' ? { error: outcome.error.code, why: outcome.error.message } : {};
