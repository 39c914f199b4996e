/** Uncertain submissions: billable calls whose outcome is unknown, marked here and resolved by an operator. */
import { type JobId, jobIdFromRow, newJobId, type UserId, userIdFromRow } from '../../domain/ids.ts';
import type { JobError, UncertainReason } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import { availableTopic, type Connection, type Row, type Statements } from '../db/connection.ts';
import { integer, oneOf, text, textOrNull } from '../db/rows.ts';
import { copyJob } from '../jobs/insert.ts';
import { moveHold, resolveHold } from '../money/end-holds.ts';
import { writeAudit } from '../people/audit.ts';

/** A job that ended while it is unknown whether its upstream charged for it. An operator finds out and resolves it. */
export interface UncertainSubmission {
  readonly jobId: JobId;
  readonly userId: UserId;
  readonly userName: string;
  readonly modelId: string;
  readonly state: 'completed' | 'failed' | 'cancelled';
  readonly error: JobError | null;
  /** Number of the uncertain attempt, and where it was sent. */
  readonly attempt: number;
  readonly provider: string;
  readonly account: string;
  /** Sent with the attempt, so that the upstream can recognise it. */
  readonly dedupeKey: string;
  /** How often the call was sent. */
  readonly sends: number;
  /** Epoch ms of the first call, and of the end of the job. */
  readonly sentAt: number;
  readonly doubtedAt: number;
  /** Message of the call; null where it had none. */
  readonly reason: string | null;
  /** Calls of the same input in the upstream's list, one of which may be it; empty where it lists none, or has no list. */
  readonly candidates: NonNullable<UncertainReason['candidates']>;
}

/**
 * Marks the newest attempts of jobs that just became final as uncertain, in the same transaction, where they are
 * billable and have no certain answer. `isUncertain`: marks them whatever their answer, because the outcome says so.
 */
export async function markUncertain(
  tx: Statements,
  jobIds: readonly string[],
  now: number,
  isUncertain = false,
): Promise<void> {
  if (jobIds.length === 0) return;
  const uncertain = isUncertain ? '' : `AND (answer IS NULL OR answer = 'unknown')`;
  await tx.write(
    `UPDATE attempts SET doubted_at = $1 WHERE billable = 1 AND doubted_at IS NULL ${uncertain}
       AND job_id IN (${jobIds.map((_, index) => `$${index + 2}`).join(', ')})
       AND number = (SELECT MAX(number) FROM attempts AS newest WHERE newest.job_id = attempts.job_id)`,
    [now, ...jobIds],
  );
}

/**
 * Columns of an `UncertainSubmission`. `doubted_at` is the former name of the moment when it became uncertain.
 */
const uncertainColumns = `attempts.job_id, jobs.user_id, users.name AS user_name, jobs.model_id, jobs.state, jobs.error,
  attempts.number, attempts.provider, attempts.account, attempts.dedupe_key, attempts.sends, attempts.started_at,
  attempts.doubted_at, attempts.error AS why`;
/** Attempts that were named uncertain and that no operator has resolved. */
const unresolvedSubmissions = `FROM attempts JOIN jobs ON jobs.id = attempts.job_id JOIN users ON users.id = jobs.user_id
  WHERE attempts.doubted_at IS NOT NULL AND attempts.doubt_settled_at IS NULL`;

/** Those that are not resolved yet, oldest first. */
export async function listUncertainSubmissions(
  db: Statements,
  limit = 1000,
): Promise<readonly UncertainSubmission[]> {
  const rows = await db.read(
    `SELECT ${uncertainColumns} ${unresolvedSubmissions} ORDER BY attempts.doubted_at, attempts.job_id LIMIT $1`,
    [limit],
  );
  return rows.map(uncertainFromRow);
}

/** How many are not resolved yet. */
export async function countUncertainSubmissions(db: Statements): Promise<number> {
  const [row] = await db.read(
    'SELECT count(*) AS unresolved FROM attempts WHERE doubted_at IS NOT NULL AND doubt_settled_at IS NULL',
  );
  return integer(row!, 'unresolved');
}

/** An operator's decision; `kind` is also stored in the row and the audit. */
export type UncertainResolution =
  /** Charged: the upstream has it under this id, and a new job of the same user fetches its outputs. */
  | { readonly kind: 'adopted'; readonly upstreamId: string }
  /** Not charged: closed without a new job. */
  | { readonly kind: 'given_up' }
  /** Resent: a new job of the same user with the same input, which may be charged a second time. */
  | { readonly kind: 'sent_again' };

/** `newJobId` is null where the decision needs no new job. */
export type UncertainResolved =
  | { readonly kind: 'settled'; readonly newJobId: JobId | null }
  /** There is no such uncertain submission, or it is resolved already. */
  | { readonly kind: 'unknown' };

/** Resolves an uncertain submission by an operator's decision. Its job stays as it ended. Announces a new job. */
export async function resolveUncertainSubmission(
  db: Connection,
  jobId: JobId,
  settlement: UncertainResolution,
  now: number,
): Promise<UncertainResolved> {
  const resolved = await resolveInTransaction(db, jobId, settlement, now);
  if (resolved.kind === 'settled' && resolved.newJobId !== null) db.announce(availableTopic);
  return resolved;
}

/** The guard is part of the first statement: of two operators who resolve it at once, one finds nothing. */
function resolveInTransaction(
  db: Connection,
  jobId: JobId,
  settlement: UncertainResolution,
  now: number,
): Promise<UncertainResolved> {
  const made = settlement.kind === 'given_up' ? null : newJobId(now);
  return db.transaction(async tx => {
    const [row] = await tx.write(
      `UPDATE attempts SET doubt_settled_at = $2, doubt_settlement = $3
       WHERE job_id = $1 AND doubted_at IS NOT NULL AND doubt_settled_at IS NULL RETURNING number`,
      [jobId, now, settlement.kind],
    );
    if (!row) return { kind: 'unknown' };
    if (made) await copyJob(tx, { from: jobId, to: made }, now);
    if (made && settlement.kind === 'sent_again') await moveHold(tx, { from: jobId, to: made }, now);
    else await resolveHold(tx, jobId, settlement.kind === 'adopted', now);
    if (made && settlement.kind === 'adopted')
      await insertChargedAttempt(
        tx,
        { from: jobId, attempt: integer(row, 'number'), to: made },
        settlement,
        now,
      );
    await writeAudit(tx, {
      at: now,
      actor: 'operator',
      action: 'doubt.settle',
      subject: jobId,
      details: {
        settlement: settlement.kind,
        ...(made && { new_job: made }),
        ...(settlement.kind === 'adopted' && { upstream_id: settlement.upstreamId }),
      },
    });
    return { kind: 'settled', newJobId: made };
  });
}

/** The new job starts as accepted by the upstream, under the id that the operator found. */
async function insertChargedAttempt(
  tx: Statements,
  { from, attempt, to }: { readonly from: JobId; readonly attempt: number; readonly to: JobId },
  { upstreamId }: UncertainResolution & { kind: 'adopted' },
  now: number,
): Promise<void> {
  await tx.write(
    `INSERT INTO attempts (job_id, number, provider, account, dedupe_key, started_at, answered_at, answer, ref, billable)
     SELECT $3, 1, provider, account, dedupe_key, $4, $4, 'accepted', $5, 1 FROM attempts WHERE job_id = $1 AND number = $2`,
    [from, attempt, to, now, toJson({ id: upstreamId })],
  );
  await tx.write(
    // As if claimed once: the next claim then looks for that attempt.
    `UPDATE jobs SET claim = 1, account = (SELECT account FROM attempts WHERE job_id = $1 AND number = 1) WHERE id = $1`,
    [to],
  );
}

function uncertainFromRow(row: Row): UncertainSubmission {
  const error = textOrNull(row, 'error');
  const stored = textOrNull(row, 'why');
  const why = stored === null ? null : (JSON.parse(stored) as Partial<UncertainReason>);
  return {
    jobId: jobIdFromRow(text(row, 'job_id')),
    userId: userIdFromRow(text(row, 'user_id')),
    userName: text(row, 'user_name'),
    modelId: text(row, 'model_id'),
    state: oneOf(row, 'state', ['completed', 'failed', 'cancelled']),
    // Written only by `settle` and the answer of an attempt, from typed values.
    error: error === null ? null : (JSON.parse(error) as JobError),
    attempt: integer(row, 'number'),
    provider: text(row, 'provider'),
    account: text(row, 'account'),
    dedupeKey: text(row, 'dedupe_key'),
    sends: integer(row, 'sends'),
    sentAt: integer(row, 'started_at'),
    doubtedAt: integer(row, 'doubted_at'),
    reason: why && reasonOf(why),
    candidates: why?.candidates ?? [],
  };
}

/** Includes the raw answer where it could not be parsed: it may name what was charged. */
const reasonOf = ({ message, answer }: Partial<UncertainReason>): string | null =>
  answer === undefined ? (message ?? null) : `${message}: ${answer}`;
