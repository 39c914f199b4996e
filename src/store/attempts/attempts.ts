/** Attempts: the intent written before a billable call, and the answer recorded after it. */
import type { StoredExchange } from '../../domain/exchange.ts';
import { type JobId, jobIdFromRow } from '../../domain/ids.ts';
import type { Lease, Remedy, UncertainReason } from '../../domain/job.ts';
import { fromJson, toJson } from '../../domain/json.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { integer, oneOf, text, textOrNull } from '../db/rows.ts';
import { releaseCertainHold } from '../money/end-holds.ts';

const answers = ['accepted', 'done', 'refused', 'unknown', 'lost'] as const;

/** One submission of a job to an upstream. */
export interface Attempt {
  readonly jobId: JobId;
  /** Counts from 1. */
  readonly number: number;
  readonly provider: string;
  readonly account: string;
  /** Sent with the call, so that the upstream can recognise a repetition. */
  readonly dedupeKey: string;
  /** Null: the intent is written and the outcome unknown. `lost`: it was accepted, and the upstream no longer knows it. */
  readonly answer: (typeof answers)[number] | null;
  /** The provider's reference for polling; null unless accepted. */
  readonly ref: unknown;
  /** What the provider prepared for the call, such as uploaded inputs. */
  readonly prepared: unknown;
  /** How often the call was sent. */
  readonly sends: number;
  /** Epoch ms: when the intent was written. */
  readonly startedAt: number;
}

/** What is written before the call. */
export interface Intent {
  readonly number: number;
  readonly provider: string;
  readonly account: string;
  readonly dedupeKey: string;
  /** Whether the upstream charges for what it accepts. */
  readonly billable: boolean;
  /** What the provider prepared; undefined where there was nothing to prepare. */
  readonly prepared?: unknown;
}

/** Flushes the intent before the billable call. False when the lease was lost: the call must not be sent. */
export async function insertAttempt(
  db: Statements,
  lease: Lease,
  intent: Intent,
  now: number,
): Promise<boolean> {
  const [row] = await db.write(
    `INSERT INTO attempts (job_id, number, provider, account, dedupe_key, started_at, billable, prepared)
       SELECT id, $4, $5, $6, $7, $8, $9, $10 FROM jobs WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running'
       RETURNING number`,
    [
      lease.jobId,
      lease.holder,
      lease.claim,
      intent.number,
      intent.provider,
      intent.account,
      intent.dedupeKey,
      now,
      intent.billable ? 1 : 0,
      intent.prepared === undefined ? null : toJson(intent.prepared),
    ],
  );
  return row !== undefined;
}

/** Flushes that the same call is about to be sent again. False when the lease was lost: it must not be sent. */
export async function recordResend(
  db: Statements,
  lease: Lease,
  { number, prepared }: Pick<Attempt, 'number' | 'prepared'>,
): Promise<boolean> {
  const [row] = await db.write(
    `UPDATE attempts SET sends = sends + 1, prepared = $5 WHERE job_id = $1 AND number = $4
       AND EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running')
     RETURNING number`,
    [lease.jobId, lease.holder, lease.claim, number, prepared === undefined ? null : toJson(prepared)],
  );
  return row !== undefined;
}

/** How an upstream answered a submission. */
export type AttemptAnswer =
  | { readonly kind: 'accepted'; readonly ref: unknown }
  | { readonly kind: 'done' | 'lost' }
  | { readonly kind: 'refused' | 'unknown'; readonly error: unknown };

/**
 * Records the answer of a call. A certain answer is final, unless the upstream lost the job. A refusal that arrives
 * after the job ended (its process was frozen) also clears the uncertain mark and releases its hold: nothing was
 * charged. `exchange` is the call itself, for an operator.
 */
export function recordAnswer(
  db: Connection,
  jobId: JobId,
  number: number,
  answer: AttemptAnswer,
  now: number,
  exchange: StoredExchange | null = null,
): Promise<void> {
  if (answer.kind !== 'refused') return writeAnswer(db, jobId, number, answer, now, exchange);
  return db.transaction(async tx => {
    await writeAnswer(tx, jobId, number, answer, now, exchange);
    await releaseCertainHold(tx, jobId, now);
  });
}

/** Only over no answer or one that may still change; a refusal also takes back that the attempt was uncertain. */
async function writeAnswer(
  db: Statements,
  jobId: JobId,
  number: number,
  answer: AttemptAnswer,
  now: number,
  exchange: StoredExchange | null,
): Promise<void> {
  await db.write(
    `UPDATE attempts SET answer = $3, answered_at = $4, ref = $5, error = $6, exchange = COALESCE($7, exchange),
       doubted_at = CASE WHEN $3 = 'refused' AND doubt_settled_at IS NULL THEN NULL ELSE doubted_at END
     WHERE job_id = $1 AND number = $2 AND (answer IS NULL OR answer IN ('unknown', 'done') OR $3 = 'lost')`,
    [
      jobId,
      number,
      answer.kind,
      now,
      answer.kind === 'accepted' ? toJson(answer.ref) : null,
      'error' in answer ? toJson(answer.error) : null,
      exchange && toJson(exchange),
    ],
  );
}

/** Records what an operator needs to know of the newest attempt of a job, where its call itself succeeded. */
export async function recordAttemptError(
  tx: Statements,
  jobId: string,
  error: UncertainReason | Remedy,
): Promise<void> {
  await tx.write(
    `UPDATE attempts SET error = $2 WHERE job_id = $1
       AND number = (SELECT MAX(number) FROM attempts AS newest WHERE newest.job_id = attempts.job_id)`,
    [jobId, toJson(error)],
  );
}

/** The newest attempt of each of these jobs, for a worker that resumes them. */
export async function readLastAttempts(
  db: Statements,
  jobIds: readonly JobId[],
): Promise<ReadonlyMap<JobId, Attempt>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db.read(
    `SELECT job_id, number, provider, account, dedupe_key, answer, ref, prepared, sends, started_at FROM attempts
     WHERE job_id IN (${jobIds.map((_, index) => `$${index + 1}`).join(', ')}) ORDER BY job_id, number`,
    jobIds,
  );
  // Rows are ordered by number, so later attempts replace earlier ones in the map.
  return new Map(rows.map(row => [jobIdFromRow(text(row, 'job_id')), attemptFromRow(row)]));
}

/** The account that ran a job, and the provider's reference there; null where it was never accepted. */
export async function readUpstreamRef(
  db: Statements,
  jobId: string,
): Promise<{ readonly account: string; readonly ref: unknown } | null> {
  const [row] = await db.read(
    `SELECT account, ref FROM attempts WHERE job_id = $1 AND answer IN ('accepted', 'done')
     ORDER BY number DESC LIMIT 1`,
    [jobId],
  );
  if (!row) return null;
  const ref = textOrNull(row, 'ref');
  return { account: text(row, 'account'), ref: ref === null ? null : fromJson(ref) };
}

function attemptFromRow(row: Row): Attempt {
  const ref = textOrNull(row, 'ref');
  const prepared = textOrNull(row, 'prepared');
  return {
    jobId: jobIdFromRow(text(row, 'job_id')),
    number: integer(row, 'number'),
    provider: text(row, 'provider'),
    account: text(row, 'account'),
    dedupeKey: text(row, 'dedupe_key'),
    answer: row.answer === null ? null : oneOf(row, 'answer', answers),
    ref: ref === null ? null : fromJson(ref),
    prepared: prepared === null ? undefined : fromJson(prepared),
    sends: integer(row, 'sends'),
    startedAt: integer(row, 'started_at'),
  };
}
