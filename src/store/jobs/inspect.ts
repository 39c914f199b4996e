/** What the console shows of one job beside its row: attempts, usage, audit; and running it again. */
import type { StoredExchange } from '../../domain/exchange.ts';
import { type JobId, newJobId } from '../../domain/ids.ts';
import { fromJson } from '../../domain/json.ts';
import type { Usage } from '../../domain/usage.ts';
import { availableTopic, type Connection, type Statements } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text, textOrNull } from '../db/rows.ts';
import { type Reservation, reserveForCopy } from '../money/holds.ts';
import { type Actor, type AuditRow, auditFromRow, writeAudit } from '../people/audit.ts';
import { copyJob } from './insert.ts';

/** One submission, as an operator sees it. */
export interface AttemptRecord {
  readonly number: number;
  readonly provider: string;
  readonly account: string;
  readonly startedAt: number;
  readonly answeredAt: number | null;
  /** Null: its outcome is unknown. */
  readonly answer: string | null;
  /** Error of the call, as recorded. */
  readonly error: unknown;
  readonly sends: number;
  readonly isBillable: boolean;
  readonly doubtedAt: number | null;
  /** Null where it was not made by HTTP, is in flight, or is older than this record. */
  readonly exchange: StoredExchange | null;
}

/** Oldest first. */
export async function listAttempts(db: Statements, jobId: JobId): Promise<readonly AttemptRecord[]> {
  const rows = await db.read(
    `SELECT number, provider, account, started_at, answered_at, answer, error, sends, billable, doubted_at, exchange
     FROM attempts WHERE job_id = $1 ORDER BY number LIMIT 200`,
    [jobId],
  );
  return rows.map(row => {
    const error = textOrNull(row, 'error');
    const exchange = textOrNull(row, 'exchange');
    return {
      number: integer(row, 'number'),
      provider: text(row, 'provider'),
      account: text(row, 'account'),
      startedAt: integer(row, 'started_at'),
      answeredAt: integerOrNull(row, 'answered_at'),
      answer: textOrNull(row, 'answer'),
      error: error === null ? null : fromJson(error),
      sends: integer(row, 'sends'),
      isBillable: integer(row, 'billable') === 1,
      doubtedAt: integerOrNull(row, 'doubted_at'),
      // Written by `recordAnswer` alone, from a typed value.
      exchange: exchange === null ? null : JSON.parse(exchange),
    };
  });
}

const units = ['second', 'image', 'character', 'token', 'credit', 'gpu_second'] as const;

/** Usage of a job, as recorded when it settled. */
export async function listUsage(db: Statements, jobId: JobId): Promise<readonly Usage[]> {
  const rows = await db.read(
    'SELECT unit, quantity, basis FROM usage_lines WHERE job_id = $1 ORDER BY line LIMIT 100',
    [jobId],
  );
  return rows.map(row => ({
    unit: oneOf(row, 'unit', units),
    quantity: integer(row, 'quantity'),
    basis: oneOf(row, 'basis', ['reported', 'computed']),
  }));
}

/** Audit entries about one subject (a job, key or user id), oldest first. */
export async function listAuditOfSubject(db: Statements, subject: string): Promise<readonly AuditRow[]> {
  const rows = await db.read(
    `SELECT number, at, actor, action, subject, details, hash FROM audit WHERE subject = $1 ORDER BY number LIMIT 200`,
    [subject],
  );
  return rows.map(auditFromRow);
}

/** Who runs a job again, when, and what it may cost; `price` is absent or null where creations are not held to limits. */
export interface Rerun {
  readonly actor: Actor;
  readonly now: number;
  readonly price?: Omit<Reservation, 'payer'> | null;
}

/**
 * Creates a new job with the same input for the same key, and announces it. Null when there is no such job. Throws
 * `BudgetError` where its budget has too little left.
 */
export async function rerunJob(
  db: Connection,
  id: JobId,
  { actor, now, price }: Rerun,
): Promise<JobId | null> {
  const made = newJobId(now);
  const isMade = await db.transaction(async tx => {
    if (!(await copyJob(tx, { from: id, to: made }, now))) return false;
    if (price) await reserveForCopy(tx, made, price);
    await writeAudit(tx, {
      at: now,
      actor,
      action: 'job.run_again',
      subject: id,
      details: { new_job: made },
    });
    return true;
  });
  if (isMade) db.announce(availableTopic);
  return isMade ? made : null;
}
