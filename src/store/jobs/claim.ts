/** Claims available jobs and settles them: the two doors into and out of `running`. */
import type { StoredFile } from '../../domain/file.ts';
import { uuidv7, type WorkerId } from '../../domain/ids.ts';
import {
  isFinal,
  type Job,
  type JobEvent,
  type JobState,
  jobError,
  type Lease,
  type Outcome,
} from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import { localAccount } from '../../domain/provider.ts';
import { markUncertain, recordUncertainReason } from '../attempts/uncertain.ts';
import { insertUsage } from '../attempts/usage.ts';
import { enqueueCallback } from '../callbacks/deliveries.ts';
import type { Connection, Statements, Value } from '../db/connection.ts';
import { integer, text, textOrNull } from '../db/rows.ts';
import { insertFiles } from '../files/files.ts';
import { cancelledError } from './cancel.ts';
import { expireInputs } from './inputs.ts';
import { jobColumns, jobFromRow } from './read.ts';
import { type AccountLimits, grantSlots, lockClaims, runningOfKeySql, takeFromAccountRate } from './slots.ts';
import { aliveWorkers } from './workers.ts';

/** A model that has a job to claim. */
export interface ClaimableModel {
  readonly modelId: string;
  readonly priority: number;
  /** Whether some of its jobs are bound to an account, where they may be in flight. */
  readonly isBound: boolean;
}

/** The models of a pool with a job to claim, by priority. */
export async function findClaimableModels(
  db: Statements,
  modelIds: readonly string[],
  now: number,
): Promise<readonly ClaimableModel[]> {
  if (modelIds.length === 0) return [];
  const rows = await db.read(
    `SELECT model_id, band, is_bound FROM (${modelIds
      .map(
        (_, index) =>
          `SELECT * FROM (SELECT model_id, band, ${isBound(index + 2)} AS is_bound FROM jobs
             WHERE model_id = $${index + 2} AND state = 'available' AND due_at <= $1
             ORDER BY band, rank, id LIMIT 1) AS head_${index}`,
      )
      .join(' UNION ALL ')}) AS heads ORDER BY band`,
    [now, ...modelIds],
  );
  return rows.map(row => ({
    modelId: text(row, 'model_id'),
    priority: integer(row, 'band'),
    isBound: integer(row, 'is_bound') === 1,
  }));
}

const isBound = (model: number): string => `CASE WHEN EXISTS (SELECT 1 FROM jobs AS bound
  WHERE bound.model_id = $${model} AND bound.state = 'available' AND bound.account IS NOT NULL AND bound.due_at <= $1)
  THEN 1 ELSE 0 END`;

/** Which jobs a worker claims, and within which limits. */
export interface ClaimOptions {
  readonly worker: WorkerId;
  readonly modelId: string;
  readonly limit: number;
  readonly now: number;
  /** The account whose slots the jobs take; absent for the local engine, which has its own limit. */
  readonly account?: AccountLimits;
  /** Maximum number of running jobs of a key; absent: any number. */
  readonly perKey?: number;
  /** Only jobs that may have crashed a process, or only those that did not; absent: both. */
  readonly only?: 'suspects' | 'clean';
  /** Maximum age of the worker's last heartbeat: a worker considered dead claims nothing. Absent: not checked. */
  readonly leaseMs?: number;
}

const crashConditions = { suspects: 'AND deaths > 0', clean: 'AND deaths = 0' } as const;

/** Models with available jobs that were running in a process that crashed. */
export async function findModelsWithCrashedJobs(db: Statements, now: number): Promise<readonly string[]> {
  const rows = await db.read(
    `SELECT DISTINCT model_id FROM jobs WHERE state = 'available' AND deaths > 0 AND due_at <= $1`,
    [now],
  );
  return rows.map(row => text(row, 'model_id'));
}

/** A job may be restricted to some accounts: each is enclosed by commas. */
const isAccountAllowed = `(accounts IS NULL OR REPLACE(accounts, ',' || $5 || ',', '') <> accounts)`;

/** In-flight jobs of a paused account continue; no other job starts there. */
const isAccountOpen = `(account = $5 OR NOT EXISTS
  (SELECT 1 FROM accounts AS paused WHERE paused.id = $5 AND paused.paused_at IS NOT NULL))`;

/**
 * Claims up to `limit` jobs of one model, in queue order, of those that are not bound to another account. Enqueues
 * callbacks of the new status in the same transaction.
 */
export function claimJobs(db: Connection, claim: ClaimOptions): Promise<readonly Job[]> {
  const { worker, modelId, now, account, perKey, leaseMs } = claim;
  return db.transaction(async tx => {
    if (perKey !== undefined) await lockClaims(tx);
    const wanted = perKey === undefined ? claim.limit : 1;
    const granted = account ? await grantSlots(tx, account, wanted, now) : wanted;
    if (granted === 0) return [];
    const values: Value[] = [modelId, now, granted, worker, account?.id ?? localAccount];
    const bind = (value: Value) => `$${values.push(value)}`;
    const rows = await tx.write(
      `WITH next AS MATERIALIZED (
         SELECT id FROM jobs WHERE model_id = $1 AND state = 'available' AND due_at <= $2
           AND (account IS NULL OR account = $5) AND ${isAccountAllowed} AND ${isAccountOpen} ${claim.only ? crashConditions[claim.only] : ''}
           ${perKey === undefined ? '' : `AND ${runningOfKeySql} < ${bind(perKey)}`}
           ${leaseMs === undefined ? '' : `AND $4 IN (${aliveWorkers(db, bind(leaseMs))})`}
         ORDER BY band, rank, id LIMIT $3 ${db.skipLocked})
       UPDATE jobs SET state = 'running', holder = $4, claim = claim + 1, account = $5,
         started_at = COALESCE(started_at, $2)
       WHERE id IN (SELECT id FROM next) AND state = 'available'
       RETURNING ${jobColumns}`,
      values,
    );
    if (account) await takeFromAccountRate(tx, account, rows.length, now);
    const jobs = rows.map(jobFromRow);
    for (const job of jobs) {
      if (job.callbackUrl !== null && job.claim === 1)
        await enqueueCallback(tx, job.id, 'running', claim.now);
    }
    return jobs.toSorted((a, b) => a.priority - b.priority || a.rank - b.rank || (a.id < b.id ? -1 : 1));
  });
}

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
    if (outcome.kind === 'failed' && outcome.uncertainSubmission)
      await recordUncertainReason(tx, lease.jobId, outcome.uncertainSubmission);
    if (isFinal(state)) await markUncertain(tx, [lease.jobId], now, isUncertain(outcome));
    if (state === 'failed' || state === 'cancelled') await expireInputs(tx, [lease.jobId], now);
    if (isFinal(state) && textOrNull(row, 'callback_url') !== null)
      await enqueueCallback(tx, lease.jobId, state, now);
    await insertFiles(tx, files);
    return true;
  });
}

const isUncertain = (outcome: Outcome): boolean =>
  outcome.kind === 'failed' && outcome.error.code === 'submission_uncertain';

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

const leasedJob = `id = $1 AND holder = $2 AND claim = $3 AND state = 'running' RETURNING callback_url`;

const liveAttempts = `SELECT 1 FROM attempts WHERE attempts.job_id = jobs.id
  AND (answer IS NULL OR answer IN ('unknown', 'accepted', 'done'))`;

/**
 * A job released by its worker did not crash it, so the count of crashes is reset. A job stays bound to its account
 * while it may be in flight there.
 */
export const requeueAssignments = `state = 'available', holder = NULL, progress = NULL, collecting = 0, deaths = 0,
  account = CASE WHEN EXISTS (${liveAttempts}) THEN account END`;

/**
 * SQL: the state of jobs that a statement names by their ids. PostgreSQL estimates the partial indexes of a state, and
 * of an unknown holder, as short, and would read all of them for every group of ids.
 */
export const stateWithoutIndex = (state: JobState): string => `state || '' = '${state}'`;

/** Timeline entry of a job that its worker released. */
export const requeuedEvent = (at: number): JobEvent => ({
  at,
  level: 'INFO',
  message: 'Requeued: worker shut down',
});

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

/** Marks that the outputs of an upstream are fetched and read: a crash from here on may be caused by them. */
export async function markFetchingOutputs(db: Statements, lease: Lease): Promise<void> {
  await db.write(
    `UPDATE jobs SET collecting = 1 WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running'`,
    [lease.jobId, lease.holder, lease.claim],
  );
}

/** Clears a suspect whose submission succeeded. False where it crashed while its outputs were fetched: it stays suspect. */
export async function resetCrashes(db: Statements, lease: Lease): Promise<boolean> {
  const rows = await db.write(
    `UPDATE jobs SET deaths = 0
     WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running' AND died_collecting = 0 RETURNING id`,
    [lease.jobId, lease.holder, lease.claim],
  );
  return rows.length > 0;
}

/** Progress as the provider reports it, 0 to 1; guarded by the lease. */
export async function recordProgress(db: Statements, lease: Lease, progress: number): Promise<void> {
  await db.write(
    `UPDATE jobs SET progress = $4 WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running'`,
    [lease.jobId, lease.holder, lease.claim, Math.round(Math.min(1, Math.max(0, progress)) * 1000)],
  );
}

/** The error of a job that missed its deadline. */
export const expiredError = jobError('expired', 'the deadline passed before the job was done');

/** Adds an entry to the timeline of a job. */
export const insertEvent = (tx: Statements, jobId: string, event: JobEvent): Promise<void> =>
  insertEvents(tx, [jobId], event);

/** The same entry for many jobs. */
export async function insertEvents(
  tx: Statements,
  jobIds: readonly string[],
  { at, level, message }: JobEvent,
): Promise<void> {
  if (jobIds.length === 0) return;
  const lines = jobIds.map((_, index) => `($${2 * index + 4}, $${2 * index + 5}, $1, $2, $3)`).join(', ');
  await tx.write(`INSERT INTO events (id, job_id, at, level, message) VALUES ${lines}`, [
    at,
    level,
    message,
    ...jobIds.flatMap(jobId => [uuidv7(at), jobId]),
  ]);
}

/** A leased job with its input; null once the lease is lost. */
export async function readLeasedJob(db: Statements, lease: Lease): Promise<Job | null> {
  const [row] = await db.read(
    `SELECT ${jobColumns} FROM jobs WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running'`,
    [lease.jobId, lease.holder, lease.claim],
  );
  return row ? jobFromRow(row) : null;
}

/** Whether cancellation of a leased job was requested; false also once the lease is lost. */
export async function isCancelRequested(db: Statements, lease: Lease): Promise<boolean> {
  const rows = await db.read(
    `SELECT id FROM jobs WHERE id = $1 AND holder = $2 AND claim = $3 AND cancel_requested_at IS NOT NULL`,
    [lease.jobId, lease.holder, lease.claim],
  );
  return rows.length > 0;
}
