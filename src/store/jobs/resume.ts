/** Claims in-flight jobs of a stopped or crashed worker, many at a time, to resume their polling. */
import { type JobId, jobIdFromRow } from '../../domain/ids.ts';
import { fromJson } from '../../domain/json.ts';
import type { Connection, Row, Statements, Value } from '../db/connection.ts';
import { integer, integerOrNull, text, textOrNull } from '../db/rows.ts';
import { type ClaimOptions, stateWithoutIndex } from './claim.ts';
import { type AccountLimits, grantSlots, lockClaims, runningOfKeySql } from './slots.ts';
import { aliveWorkers } from './workers.ts';

/** A claimed job that is in flight at an upstream: nothing is submitted, so its input is not read. */
export interface ResumedJob {
  readonly jobId: JobId;
  readonly claim: number;
  readonly dueAt: number;
  readonly startedAt: number;
  readonly expiresAt: number;
  readonly isCancelRequested: boolean;
  readonly hasCallback: boolean;
  /** Number of the accepted attempt, and the provider's reference for polling. */
  readonly attempt: number;
  readonly dedupeKey: string;
  readonly ref: unknown;
}

/** As for a claim; only jobs at an account can be resumed. */
export interface ResumeOptions
  extends Pick<ClaimOptions, 'worker' | 'modelId' | 'limit' | 'now' | 'perKey' | 'leaseMs'> {
  readonly account: AccountLimits;
}

/**
 * Claims up to `limit` jobs of one model, in queue order, that are in flight at that account, left there by a worker
 * that stopped or crashed. They take slots like every claim, but nothing of the account's rate, because nothing is
 * submitted. Jobs with crashes are claimed one by one elsewhere.
 */
export function resumeJobs(db: Connection, wanted: ResumeOptions): Promise<readonly ResumedJob[]> {
  const { account, perKey, limit, now } = wanted;
  return db.transaction(async tx => {
    if (perKey !== undefined) await lockClaims(tx);
    const granted = await grantSlots(tx, { ...account, rate: null }, limit, now);
    if (granted === 0) return [];
    const found = await findInFlight(tx, wanted, granted, db);
    const rows = perKey === undefined ? found : await withinKeyLimits(tx, found, perKey);
    return leaseAll(tx, rows, wanted);
  });
}

/** The rows stay locked until the transaction ends. */
function findInFlight(
  tx: Statements,
  { worker, modelId, account, now, perKey, leaseMs }: ResumeOptions,
  granted: number,
  db: Connection,
): Promise<readonly Row[]> {
  const values: Value[] = [modelId, account.id, now, granted];
  const bind = (value: Value) => `$${values.push(value)}`;
  return tx.read(
    `SELECT jobs.id, jobs.key_id, jobs.claim, jobs.due_at, jobs.started_at, jobs.expires_at,
       jobs.cancel_requested_at, jobs.callback_url, attempts.number, attempts.dedupe_key, attempts.ref
     FROM jobs JOIN attempts ON attempts.job_id = jobs.id AND attempts.answer = 'accepted'
     WHERE jobs.model_id = $1 AND jobs.account = $2 AND jobs.state = 'available' AND jobs.deaths = 0
       AND jobs.due_at <= $3
       ${leaseMs === undefined ? '' : `AND ${bind(worker)} IN (${aliveWorkers(db, bind(leaseMs))})`}
       ${perKey === undefined ? '' : `AND ${runningOfKeySql} < ${bind(perKey)}`}
     ORDER BY jobs.band, jobs.rank, jobs.id LIMIT $4
     ${db.dialect === 'postgres' ? 'FOR UPDATE OF jobs SKIP LOCKED' : ''}`,
    values,
  );
}

/** Those within the limit of running jobs of their keys. */
async function withinKeyLimits(
  tx: Statements,
  found: readonly Row[],
  perKey: number,
): Promise<readonly Row[]> {
  const keys = [...new Set(found.map(row => text(row, 'key_id')))];
  if (keys.length === 0) return [];
  const counted = await tx.read(
    `SELECT key_id, count(*) AS running FROM jobs WHERE state = 'running' AND key_id IN (${placeholdersOf(keys)})
     GROUP BY key_id`,
    keys,
  );
  const running = new Map(counted.map(row => [text(row, 'key_id'), integer(row, 'running')]));
  return found.filter(row => {
    const key = text(row, 'key_id');
    const before = running.get(key) ?? 0;
    running.set(key, before + 1);
    return before < perKey;
  });
}

/** Leases exactly these rows; throws where the statement changed fewer. */
async function leaseAll(
  tx: Statements,
  rows: readonly Row[],
  { worker, now }: ResumeOptions,
): Promise<readonly ResumedJob[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(row => text(row, 'id'));
  const leased = await tx.write(
    `UPDATE jobs SET state = 'running', holder = $1, claim = claim + 1, started_at = COALESCE(started_at, $2)
     WHERE id IN (${placeholdersOf(ids, 3)}) AND ${stateWithoutIndex('available')} RETURNING id`,
    [worker, now, ...ids],
  );
  if (leased.length !== ids.length)
    throw new Error(`expected to lease ${ids.length} jobs, got ${leased.length}`);
  return rows.map(row => resumedJobFromRow(row, now));
}

/** `$1, $2, …` for a list of values. */
const placeholdersOf = (values: readonly unknown[], first = 1): string =>
  values.map((_, index) => `$${first + index}`).join(', ');

const resumedJobFromRow = (row: Row, now: number): ResumedJob => ({
  jobId: jobIdFromRow(text(row, 'id')),
  claim: integer(row, 'claim') + 1,
  dueAt: integer(row, 'due_at'),
  startedAt: integerOrNull(row, 'started_at') ?? now,
  expiresAt: integer(row, 'expires_at'),
  isCancelRequested: row.cancel_requested_at !== null,
  hasCallback: textOrNull(row, 'callback_url') !== null,
  attempt: integer(row, 'number'),
  dedupeKey: text(row, 'dedupe_key'),
  ref: fromJson(text(row, 'ref')),
});
