import { jobError, maxCrashes } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import { markUncertain } from '../attempts/uncertain.ts';
import { enqueueCallback } from '../callbacks/deliveries.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { integer, text, textOrNull } from '../db/rows.ts';
import { expiredError, insertEvents, stateWithoutIndex } from './claim.ts';
import { expireInputs } from './inputs.ts';
import { aliveWorkers } from './workers.ts';

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
    const ids = rows.map(row => text(row, 'id'));
    await markUncertain(tx, ids, now);
    await expireInputs(tx, ids, now);
    return enqueueFailureCallbacks(tx, rows, now);
  });
}

/** Ids in one statement. */
const idsPerStatement = 500;

/**
 * Takes back the jobs of workers whose heartbeat stopped `leaseMs` ago by the database's clock.
 * A job that took down `maxDeaths` processes is closed.
 */
export function requeueOrphanedJobs(
  db: Connection,
  leaseMs: number,
  now: number,
): Promise<{ readonly back: readonly string[]; readonly closed: readonly string[] }> {
  return db.transaction(async tx => {
    const held = await tx.read(
      `SELECT id, holder, deaths, ${atRisk} AS at_risk FROM jobs WHERE state = 'running'
         AND holder NOT IN (${aliveWorkers(db, '$1')}) ${db.skipLocked}`,
      [leaseMs],
    );
    const blamed = attributeCrashes(held);
    const isPoison = (row: Row) => blamed.has(row) && integer(row, 'deaths') + 1 >= maxCrashes;
    const idsOf = (rows: readonly Row[]) => rows.map(row => text(row, 'id'));
    const poison = idsOf(held.filter(isPoison));
    const back = held.filter(row => !isPoison(row));
    const closed: Row[] = [];
    await inBatches(poison, async (ids, places) => {
      closed.push(
        ...(await tx.write(
          `UPDATE jobs SET state = 'failed', holder = NULL, deaths = deaths + 1, completed_at = $1, error = $2
           WHERE id IN (${places(3)}) AND ${stateWithoutIndex('running')} RETURNING id, callback_url`,
          [now, toJson(poisonError), ...ids],
        )),
      );
    });
    for (const [deaths, rows] of [
      [1, back.filter(row => blamed.has(row))],
      [0, back.filter(row => !blamed.has(row))],
    ] as const) {
      await inBatches(idsOf(rows), async (ids, places) => {
        await tx.write(
          `UPDATE jobs SET state = 'available', holder = NULL, progress = NULL, collecting = 0, deaths = deaths + $1,
             died_collecting = CASE WHEN $1 = 0 OR (deaths > 0 AND died_collecting = 1) THEN died_collecting ELSE collecting END
           WHERE id IN (${places(2)}) AND ${stateWithoutIndex('running')}`,
          [deaths, ...ids],
        );
      });
    }
    const takenBack = { at: now, level: 'WARN', message: 'Taken back from a worker that died' } as const;
    await inBatches(idsOf(back), ids => insertEvents(tx, ids, takenBack));
    await markUncertain(tx, poison, now);
    await expireInputs(tx, poison, now);
    return { back: idsOf(back), closed: await enqueueFailureCallbacks(tx, closed, now) };
  });
}

/**
 * Only what runs in our own process can end it. A job that an upstream works on, or a render in its child process,
 * does nothing here but wait, unless its result is being brought. A worker that was told to stop was ended from outside.
 */
const atRisk = `CASE
  WHEN collecting = 0 AND EXISTS (SELECT 1 FROM attempts WHERE attempts.job_id = jobs.id AND answer = 'accepted') THEN 0
  WHEN EXISTS (SELECT 1 FROM workers WHERE workers.id = jobs.holder AND stopping_at IS NOT NULL) THEN 0
  ELSE 1 END`;

/** Whom a death is counted to: the suspect in the dead worker's hand, and only where it had none, all that were at risk. */
function attributeCrashes(held: readonly Row[]): ReadonlySet<Row> {
  const risky = held.filter(row => integer(row, 'at_risk') === 1);
  const suspects = risky.filter(row => integer(row, 'deaths') > 0);
  const holders = new Set(suspects.map(row => row.holder));
  return new Set([...suspects, ...risky.filter(row => !holders.has(row.holder ?? null))]);
}

async function inBatches(
  ids: readonly string[],
  work: (ids: readonly string[], places: (from: number) => string) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < ids.length; from += idsPerStatement) {
    const some = ids.slice(from, from + idsPerStatement);
    await work(some, first => some.map((_, index) => `$${first + index}`).join(', '));
  }
}

const poisonError = jobError(
  'internal_error',
  `the worker process died ${maxCrashes} times while it held this job`,
);

async function enqueueFailureCallbacks(
  tx: Statements,
  rows: readonly Row[],
  now: number,
): Promise<readonly string[]> {
  for (const row of rows) {
    if (textOrNull(row, 'callback_url') !== null) await enqueueCallback(tx, text(row, 'id'), 'failed', now);
  }
  return rows.map(row => text(row, 'id'));
}

/** Deletes up to `limit` final jobs that ended before that moment, with all that hangs on them; returns how many. */
export async function pruneJobs(db: Connection, endedBefore: number, limit: number): Promise<number> {
  const rows = await db.write(
    `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE completed_at IS NOT NULL AND completed_at <= $1
         AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.job_id = jobs.id
           AND doubted_at IS NOT NULL AND doubt_settled_at IS NULL)
       ORDER BY completed_at LIMIT $2) RETURNING id`,
    [endedBefore, limit],
  );
  return rows.length;
}

/** Deletes up to `limit` lines of what jobs used before that moment; returns how many. They outlive their jobs. */
export async function pruneUsage(db: Connection, usedBefore: number, limit: number): Promise<number> {
  const rows = await db.write(
    `DELETE FROM usage_lines WHERE (job_id, line) IN (
       SELECT job_id, line FROM usage_lines WHERE at <= $1 ORDER BY at LIMIT $2) RETURNING job_id`,
    [usedBefore, limit],
  );
  return rows.length;
}
