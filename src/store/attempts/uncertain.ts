import { type JobId, jobIdFromRow, newJobId, type UserId, userIdFromRow } from '../../domain/ids.ts';
import type { JobError } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { integer, oneOf, text, textOrNull } from '../db/rows.ts';
import { copyJob } from '../jobs/insert.ts';
import { writeAudit } from '../people/audit.ts';

/** A job that ended while nobody knows whether its upstream was paid. An operator finds out and settles it. */
export interface UncertainSubmission {
  readonly jobId: JobId;
  readonly userId: UserId;
  readonly userName: string;
  readonly modelId: string;
  readonly state: 'completed' | 'failed' | 'cancelled';
  readonly error: JobError | null;
  /** The attempt in doubt, and where it was sent. */
  readonly attempt: number;
  readonly provider: string;
  readonly account: string;
  /** What the upstream was given to know the attempt by. */
  readonly dedupeKey: string;
  readonly sends: number;
  /** Epoch ms of the first call, and of the end of the job. */
  readonly sentAt: number;
  readonly doubtedAt: number;
  /** What the call said, as far as it said something. */
  readonly reason: string | null;
}

/**
 * Marks the attempts in doubt of jobs that just became final, in the same transaction: billable, and without
 * a certain answer. `isUncertain`: the job itself says so, whatever was answered meanwhile.
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

/** Writes down why the newest attempt of a job is in doubt, where its call itself was answered well. */
export async function recordUncertainReason(
  tx: Statements,
  jobId: string,
  why: { readonly message: string },
): Promise<void> {
  await tx.write(
    `UPDATE attempts SET error = $2 WHERE job_id = $1
       AND number = (SELECT MAX(number) FROM attempts AS newest WHERE newest.job_id = attempts.job_id)`,
    [jobId, toJson(why)],
  );
}

const uncertainColumns = `attempts.job_id, jobs.user_id, users.name AS user_name, jobs.model_id, jobs.state, jobs.error,
  attempts.number, attempts.provider, attempts.account, attempts.dedupe_key, attempts.sends, attempts.started_at,
  attempts.doubted_at, attempts.error AS why`;
const unresolvedSubmissions = `FROM attempts JOIN jobs ON jobs.id = attempts.job_id JOIN users ON users.id = jobs.user_id
  WHERE attempts.doubted_at IS NOT NULL AND attempts.doubt_settled_at IS NULL`;

/** Every doubt that is not settled, oldest first. */
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

export type UncertainResolution =
  /** The upstream has it under this id: a new job of the same user fetches what was paid for. */
  | { readonly kind: 'adopted'; readonly upstreamId: string }
  /** Nothing more is done. */
  | { readonly kind: 'given_up' }
  /** A new job of the same user is made of the same input, and may be charged a second time. */
  | { readonly kind: 'sent_again' };

export type UncertainResolved =
  | { readonly kind: 'settled'; readonly newJobId: JobId | null }
  /** There is no such doubt, or somebody settled it before. */
  | { readonly kind: 'unknown' };

/** Settles a doubt by an operator's word. The doubted job stays as it ended: final is final. */
export function resolveUncertainSubmission(
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

/** The new job goes on where the upstream is: accepted there, under the id that the operator found. */
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
    // Claimed once, in effect: whoever claims it now looks for that attempt.
    `UPDATE jobs SET claim = 1, account = (SELECT account FROM attempts WHERE job_id = $1 AND number = 1) WHERE id = $1`,
    [to],
  );
}

function uncertainFromRow(row: Row): UncertainSubmission {
  const error = textOrNull(row, 'error');
  const why = textOrNull(row, 'why');
  return {
    jobId: jobIdFromRow(text(row, 'job_id')),
    userId: userIdFromRow(text(row, 'user_id')),
    userName: text(row, 'user_name'),
    modelId: text(row, 'model_id'),
    state: oneOf(row, 'state', ['completed', 'failed', 'cancelled']),
    // Written by `settle` and by `answerAttempt` alone, from typed values.
    error: error === null ? null : (JSON.parse(error) as JobError),
    attempt: integer(row, 'number'),
    provider: text(row, 'provider'),
    account: text(row, 'account'),
    dedupeKey: text(row, 'dedupe_key'),
    sends: integer(row, 'sends'),
    sentAt: integer(row, 'started_at'),
    doubtedAt: integer(row, 'doubted_at'),
    reason: why === null ? null : reasonOf(JSON.parse(why) as { message?: string; answer?: string }),
  };
}

/** With the answer itself, where it could not be read: it may name what was paid for. */
const reasonOf = ({ message, answer }: { message?: string; answer?: string }): string | null =>
  answer === undefined ? (message ?? null) : `${message}: ${answer}`;
