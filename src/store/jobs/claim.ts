/** Claims available jobs and settles them: the two doors into and out of `running`. */
import type { WorkerId } from '../../domain/ids.ts';
import type { Job, JobState } from '../../domain/job.ts';
import { localAccount } from '../../domain/provider.ts';
import { enqueueCallback } from '../callbacks/deliveries.ts';
import type { Connection, Statements, Value } from '../db/connection.ts';
import { integer, text } from '../db/rows.ts';
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

/** Whether a due job of the model is bound to an account. */
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

/** Jobs that may crash a process run apart from the others. */
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
 * SQL: the state of jobs that a statement names by their ids. PostgreSQL estimates the partial indexes of a state, and
 * of an unknown holder, as short, and would read all of them for every group of ids.
 */
export const stateWithoutIndex = (state: JobState): string => `state || '' = '${state}'`;
