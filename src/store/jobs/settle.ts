/** How a leased job leaves `running`: it is completed, failed, cancelled, requeued or named uncertain, in one statement. */
import type { StoredFile } from '../../domain/file.ts';
import type { JobState, Lease, Outcome } from '../../domain/job.ts';
import { isFinal } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import { recordAttemptError } from '../attempts/attempts.ts';
import { markUncertain } from '../attempts/uncertain.ts';
import { insertUsage } from '../attempts/usage.ts';
import { enqueueCallback } from '../callbacks/deliveries.ts';
import type { Connection } from '../db/connection.ts';
import { integer, textOrNull } from '../db/rows.ts';
import { insertFiles } from '../files/files.ts';
import { type Charge, endHold } from '../money/end-holds.ts';
import { hasOpenHold } from '../money/holds.ts';
import { cancelledError } from './cancel.ts';
import { insertEvent, requeuedEvent } from './events.ts';
import { expireInputs } from './inputs.ts';

/**
 * The one door out of `running`. False when the lease was lost: nothing was changed, and the caller must discard its
 * result.
 */
export function settle(
  db: Connection,
  lease: Lease,
  outcome: Outcome,
  now: number,
  files: readonly StoredFile[] = [],
): Promise<boolean> {
  return db.transaction(async tx => {
    const [row] = await tx.write(statementFor(outcome), [
      lease.jobId,
      lease.holder,
      lease.claim,
      ...valuesFor(outcome, now),
    ]);
    if (!row) return false;
    if ('usage' in outcome && outcome.usage) await insertUsage(tx, lease.jobId, outcome.usage, now);
    if (outcome.kind === 'completed') {
      for (const message of outcome.notes ?? [])
        await insertEvent(tx, lease.jobId, { at: now, level: 'INFO', message });
    }
    if (outcome.kind === 'retry')
      await insertEvent(tx, lease.jobId, { at: now, level: 'WARN', message: outcome.reason });
    if (outcome.kind === 'interrupted') await insertEvent(tx, lease.jobId, requeuedEvent(now));
    const state = stateAfter(outcome);
    const explanation = outcome.kind === 'failed' && (outcome.uncertainSubmission ?? outcome.remedy);
    if (explanation) await recordAttemptError(tx, lease.jobId, explanation);
    if (isFinal(state)) {
      await markUncertain(tx, [lease.jobId], now, isUncertain(outcome));
      if (integer(row, 'has_hold') === 1) await endHold(tx, lease.jobId, chargeOf(outcome), now);
    }
    if (state === 'failed' || state === 'cancelled') await expireInputs(tx, [lease.jobId], now);
    if (isFinal(state) && textOrNull(row, 'callback_url') !== null)
      await enqueueCallback(tx, lease.jobId, state, now);
    await insertFiles(tx, files);
    return true;
  });
}

/** Whether the outcome of its billable call is unknown. */
const isUncertain = (outcome: Outcome): boolean =>
  outcome.kind === 'failed' && outcome.error.code === 'submission_uncertain';

/** A job that failed or was cancelled is charged what its upstream reports or is known to charge. */
function chargeOf(outcome: Outcome): Charge {
  if (outcome.kind === 'completed') return { kind: 'used', usage: outcome.usage ?? [] };
  if (outcome.kind !== 'failed' && outcome.kind !== 'cancelled') return { kind: 'nothing' };
  const { usage = [], isCharged = false } = outcome;
  if (isCharged) return { kind: 'whole', usage };
  return usage.length > 0 ? { kind: 'used', usage } : { kind: 'nothing' };
}

/** The state that an outcome leads to. */
function stateAfter(outcome: Outcome): JobState {
  switch (outcome.kind) {
    case 'completed':
    case 'failed':
    case 'cancelled':
      return outcome.kind;
    case 'retry':
    case 'interrupted':
      return 'available';
  }
}

/** The guard of every transition out of `running`: the job is still leased to that worker, by that claim. */
const leasedJob = `id = $1 AND holder = $2 AND claim = $3 AND state = 'running' RETURNING callback_url, ${hasOpenHold} AS has_hold`;

/** Attempts that the upstream may still work on. */
export const liveAttempts = `SELECT 1 FROM attempts WHERE attempts.job_id = jobs.id
  AND (answer IS NULL OR answer IN ('unknown', 'accepted', 'done'))`;

/**
 * A job released by its worker did not crash it, so the count of crashes is reset. A job stays bound to its account
 * while it may be in flight there.
 */
export const requeueAssignments = `state = 'available', holder = NULL, progress = NULL, collecting = 0, deaths = 0,
  account = CASE WHEN EXISTS (${liveAttempts}) THEN account END`;

/** One statement for each outcome; `$1` to `$3` are the lease. */
function statementFor(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'completed':
      return `UPDATE jobs SET state = 'completed', holder = NULL, completed_at = $4, result = $5 WHERE ${leasedJob}`;
    case 'failed':
    case 'cancelled':
      return `UPDATE jobs SET state = '${outcome.kind}', holder = NULL, completed_at = $4, error = $5 WHERE ${leasedJob}`;
    case 'retry':
    case 'interrupted':
      return `UPDATE jobs SET ${requeueAssignments}, due_at = $4 WHERE ${leasedJob}`;
  }
}

/** The values from `$4` on. A retry is never due in the past. */
function valuesFor(outcome: Outcome, now: number): (string | number)[] {
  switch (outcome.kind) {
    case 'completed':
      return [now, toJson(outcome.result)];
    case 'failed':
      return [now, toJson(outcome.error)];
    case 'cancelled':
      return [now, toJson(cancelledError)];
    case 'retry':
      return [Math.max(now, outcome.dueAt)];
    case 'interrupted':
      return [now];
  }
}
