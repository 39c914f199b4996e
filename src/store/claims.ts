import type { StoredFile } from '../domain/file.ts';
import { uuidv7, type WorkerId } from '../domain/ids.ts';
import {
  type Hold,
  isFinal,
  type Job,
  type JobEvent,
  type JobState,
  jobError,
  maxDeaths,
  type Outcome,
} from '../domain/job.ts';
import { toJson } from '../domain/json.ts';
import type { Connection, Row, Statements } from './connection.ts';
import { insertFile } from './files.ts';
import { type JobAddress, jobColumns, jobFromRow } from './jobs.ts';
import { integer, text, textOrNull } from './rows.ts';

/** The models of a pool that have a job to claim, the urgent band first. */
export async function findModelsWithWork(
  db: Statements,
  modelIds: readonly string[],
  now: number,
): Promise<readonly { readonly modelId: string; readonly band: number }[]> {
  if (modelIds.length === 0) return [];
  const rows = await db.read(
    `SELECT model_id, band FROM (${modelIds
      .map(
        (_, index) =>
          `SELECT * FROM (SELECT model_id, band FROM jobs WHERE model_id = $${index + 2} AND state = 'available'
             AND due_at <= $1 ORDER BY band, rank, id LIMIT 1) AS head_${index}`,
      )
      .join(' UNION ALL ')}) AS heads ORDER BY band`,
    [now, ...modelIds],
  );
  return rows.map(row => ({ modelId: text(row, 'model_id'), band: integer(row, 'band') }));
}

/** Takes up to `limit` jobs of one model, in line order. Tells callbacks of the new status in the same transaction. */
export function claimJobs(
  db: Connection,
  claim: {
    readonly worker: WorkerId;
    readonly modelId: string;
    readonly limit: number;
    readonly now: number;
  },
): Promise<readonly Job[]> {
  return db.transaction(async tx => {
    const rows = await tx.write(
      `WITH next AS MATERIALIZED (
         SELECT id FROM jobs WHERE model_id = $1 AND state = 'available' AND due_at <= $2
         ORDER BY band, rank, id LIMIT $3 ${db.skipLocked})
       UPDATE jobs SET state = 'running', holder = $4, claim = claim + 1, started_at = COALESCE(started_at, $2)
       WHERE id IN (SELECT id FROM next) AND state = 'available'
       RETURNING ${jobColumns}`,
      [claim.modelId, claim.now, claim.limit, claim.worker],
    );
    const jobs = rows.map(jobFromRow);
    for (const job of jobs) {
      if (job.callbackUrl !== null && job.claim === 1) await tellCallback(tx, job.id, 'running', claim.now);
    }
    return jobs.toSorted((a, b) => a.band - b.band || a.rank - b.rank || (a.id < b.id ? -1 : 1));
  });
}

/**
 * The one door out of `running`. False when the hold was lost: nothing was changed, and everything
 * the caller still has of the job is to be dropped.
 */
export function settle(
  db: Connection,
  hold: Hold,
  outcome: Outcome,
  now: number,
  files: readonly StoredFile[] = [],
): Promise<boolean> {
  return db.transaction(async tx => {
    const [row] = await tx.write(statementFor(outcome), [
      hold.jobId,
      hold.holder,
      hold.claim,
      ...valuesFor(outcome, now),
    ]);
    if (!row) return false;
    for (const file of files) await insertFile(tx, file);
    if (outcome.kind === 'retry')
      await insertEvent(tx, hold.jobId, { at: now, level: 'WARN', message: outcome.reason });
    if (outcome.kind === 'interrupted') {
      await insertEvent(tx, hold.jobId, {
        at: now,
        level: 'INFO',
        message: 'Handed back by a worker that stopped',
      });
    }
    const state = stateAfter(outcome);
    if (isFinal(state) && textOrNull(row, 'callback_url') !== null)
      await tellCallback(tx, hold.jobId, state, now);
    return true;
  });
}

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

const held = `id = $1 AND holder = $2 AND claim = $3 AND state = 'running' RETURNING callback_url`;

function statementFor(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'completed':
      return `UPDATE jobs SET state = 'completed', holder = NULL, completed_at = $4, result = $5 WHERE ${held}`;
    case 'failed':
    case 'cancelled':
      return `UPDATE jobs SET state = '${outcome.kind}', holder = NULL, completed_at = $4, error = $5 WHERE ${held}`;
    case 'retry':
    case 'interrupted':
      // Whoever comes back by himself did not die: the count of deaths starts again.
      return `UPDATE jobs SET state = 'available', holder = NULL, progress = NULL, deaths = 0, due_at = $4 WHERE ${held}`;
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

const cancelledError = jobError('cancelled', 'the job was cancelled');

export type Cancellation = 'cancelled' | 'requested' | 'already_final' | 'unknown';

/** Ends a waiting job at once; asks the holder of a running one to stop. Repeating it is harmless. */
export function cancelJob(db: Connection, asked: JobAddress, now: number): Promise<Cancellation> {
  const address = 'id = $1 AND user_id = $2 AND model_id = $3';
  const values = [asked.jobId, asked.userId, asked.modelId];
  return db.transaction(async tx => {
    const [ended] = await tx.write(
      `UPDATE jobs SET state = 'cancelled', completed_at = $4, cancel_requested_at = $4, error = $5
       WHERE ${address} AND state = 'available' RETURNING callback_url`,
      [...values, now, toJson(cancelledError)],
    );
    if (ended) {
      if (textOrNull(ended, 'callback_url') !== null) await tellCallback(tx, asked.jobId, 'cancelled', now);
      return 'cancelled';
    }
    const [marked] = await tx.write(
      `UPDATE jobs SET cancel_requested_at = COALESCE(cancel_requested_at, $4)
       WHERE ${address} AND state = 'running' RETURNING id`,
      [...values, now],
    );
    if (marked) return 'requested';
    const [row] = await tx.read(`SELECT id FROM jobs WHERE ${address}`, values);
    return row ? 'already_final' : 'unknown';
  });
}

/** Progress as the provider tells it, 0 to 1; guarded like every write of a holder. */
export async function noteProgress(db: Statements, hold: Hold, progress: number): Promise<void> {
  await db.write(
    `UPDATE jobs SET progress = $4 WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running'`,
    [hold.jobId, hold.holder, hold.claim, Math.round(Math.min(1, Math.max(0, progress)) * 1000)],
  );
}

/** Ends waiting jobs whose deadline passed; returns the ids, at most `limit` a call. */
export function expireJobs(db: Connection, now: number, limit: number): Promise<readonly string[]> {
  return db.transaction(async tx => {
    const rows = await tx.write(
      `WITH late AS MATERIALIZED (
         SELECT id FROM jobs WHERE state = 'available' AND expires_at <= $1 ORDER BY expires_at LIMIT $2 ${db.skipLocked})
       UPDATE jobs SET state = 'failed', completed_at = $1, error = $3
       WHERE id IN (SELECT id FROM late) AND state = 'available' RETURNING id, callback_url`,
      [now, limit, toJson(expiredError)],
    );
    return tellAll(tx, rows, now);
  });
}

export const expiredError = jobError('expired', 'the deadline passed before the job was done');

/**
 * Takes back the jobs of workers whose heartbeat stopped `leaseMs` ago by the database's clock.
 * A job that took down `maxDeaths` processes is closed.
 */
export function rescueJobs(
  db: Connection,
  leaseMs: number,
  now: number,
): Promise<{ readonly back: readonly string[]; readonly closed: readonly string[] }> {
  const dead = `state = 'running' AND holder NOT IN (SELECT id FROM workers WHERE heartbeat_at > ${db.nowMs} - $1)`;
  return db.transaction(async tx => {
    const poison = await tx.write(
      `UPDATE jobs SET state = 'failed', holder = NULL, deaths = deaths + 1, completed_at = $2, error = $3
       WHERE ${dead} AND deaths + 1 >= ${maxDeaths} RETURNING id, callback_url`,
      [leaseMs, now, toJson(poisonError)],
    );
    const back = await tx.write(
      `UPDATE jobs SET state = 'available', holder = NULL, progress = NULL, deaths = deaths + 1
       WHERE ${dead} RETURNING id`,
      [leaseMs],
    );
    for (const row of back) {
      await insertEvent(tx, text(row, 'id'), {
        at: now,
        level: 'WARN',
        message: 'Taken back from a worker that died',
      });
    }
    return { back: back.map(row => text(row, 'id')), closed: await tellAll(tx, poison, now) };
  });
}

const poisonError = jobError(
  'internal_error',
  `the worker process died ${maxDeaths} times while it held this job`,
);

async function tellAll(tx: Statements, rows: readonly Row[], now: number): Promise<readonly string[]> {
  for (const row of rows) {
    if (textOrNull(row, 'callback_url') !== null) await tellCallback(tx, text(row, 'id'), 'failed', now);
  }
  return rows.map(row => text(row, 'id'));
}

/** Writes down a callback to be made. An unsent IN_PROGRESS is dropped once COMPLETED exists. */
async function tellCallback(tx: Statements, jobId: string, state: JobState, now: number): Promise<void> {
  if (isFinal(state)) {
    await tx.write(
      `UPDATE deliveries SET state = 'superseded', ended_at = $2 WHERE job_id = $1 AND state = 'waiting'`,
      [jobId, now],
    );
  }
  await tx.write(
    `INSERT INTO deliveries (id, job_id, user_id, status, url, state, due_at, created_at)
     SELECT $2, id, user_id, $3, callback_url, 'waiting', $4, $4 FROM jobs WHERE id = $1`,
    [jobId, `msg_${uuidv7(now)}`, isFinal(state) ? 'COMPLETED' : 'IN_PROGRESS', now],
  );
}

async function insertEvent(tx: Statements, jobId: string, event: JobEvent): Promise<void> {
  await tx.write('INSERT INTO events (id, job_id, at, level, message) VALUES ($1, $2, $3, $4, $5)', [
    uuidv7(event.at),
    jobId,
    event.at,
    event.level,
    event.message,
  ]);
}

/** Whether a client asked for the end of a held job; false also once the hold is lost. */
export async function isCancelRequested(db: Statements, hold: Hold): Promise<boolean> {
  const rows = await db.read(
    `SELECT id FROM jobs WHERE id = $1 AND holder = $2 AND claim = $3 AND cancel_requested_at IS NOT NULL`,
    [hold.jobId, hold.holder, hold.claim],
  );
  return rows.length > 0;
}

/** Deletes up to `limit` final jobs that ended before that moment, with all that hangs on them; returns how many. */
export async function pruneJobs(db: Connection, endedBefore: number, limit: number): Promise<number> {
  const rows = await db.write(
    `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE completed_at IS NOT NULL AND completed_at <= $1
       ORDER BY completed_at LIMIT $2) RETURNING id`,
    [endedBefore, limit],
  );
  return rows.length;
}
