/** Jobs of crashed workers: requeued, or failed as poison jobs when they crashed too many processes. */
import { jobError, maxCrashes } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import { markUncertain } from '../attempts/uncertain.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { availableTopic, jobTopic } from '../db/connection.ts';
import { inBatches } from '../db/in-batches.ts';
import { integer } from '../db/rows.ts';
import { releaseHolds } from '../money/release-holds.ts';
import { stateWithoutIndex } from './claim.ts';
import { insertEvents } from './events.ts';
import { expireInputs } from './inputs.ts';
import { announceFailed, enqueueFailureCallbacks, idsOf } from './maintenance.ts';
import { aliveWorkers } from './workers.ts';

/** Ids of jobs: those that are available again, and those that failed because they crashed too many workers. */
export interface OrphanedJobs {
  readonly requeued: readonly string[];
  readonly failed: readonly string[];
}

/**
 * Requeues the jobs of workers whose heartbeat stopped `leaseMs` ago by the database's clock. A job that crashed
 * `maxCrashes` processes fails instead. Announces both.
 */
export async function requeueOrphanedJobs(
  db: Connection,
  leaseMs: number,
  now: number,
): Promise<OrphanedJobs> {
  const orphaned = await db.transaction(tx => requeueInTransaction(db, tx, leaseMs, now));
  for (const id of orphaned.requeued) db.announce(jobTopic(id));
  if (orphaned.requeued.length > 0) db.announce(availableTopic);
  announceFailed(db, orphaned.failed);
  return orphaned;
}

async function requeueInTransaction(
  db: Connection,
  tx: Statements,
  leaseMs: number,
  now: number,
): Promise<OrphanedJobs> {
  const orphaned = await tx.read(
    `SELECT id, holder, deaths, ${atRisk} AS at_risk FROM jobs WHERE state = 'running'
       AND holder NOT IN (${aliveWorkers(db, '$1')}) ${db.skipLocked}`,
    [leaseMs],
  );
  const charged = attributeCrashes(orphaned);
  const isPoison = (row: Row) => charged.has(row) && integer(row, 'deaths') + 1 >= maxCrashes;
  const poison = idsOf(orphaned.filter(isPoison));
  const survivors = orphaned.filter(row => !isPoison(row));
  const failed = await failPoisonJobs(tx, poison, now);
  await requeue(tx, idsOf(survivors.filter(row => charged.has(row))), 1);
  await requeue(tx, idsOf(survivors.filter(row => !charged.has(row))), 0);
  const event = { at: now, level: 'WARN', message: 'Requeued: worker lease expired' } as const;
  await inBatches(idsOf(survivors), ids => insertEvents(tx, ids, event));
  await markUncertain(tx, poison, now);
  await releaseHolds(tx, poison, now);
  await expireInputs(tx, poison, now);
  return { requeued: idsOf(survivors), failed: await enqueueFailureCallbacks(tx, failed, now) };
}

/** Returns the rows that were updated, with `id` and `callback_url`. */
async function failPoisonJobs(
  tx: Statements,
  jobIds: readonly string[],
  now: number,
): Promise<readonly Row[]> {
  const failed: Row[] = [];
  await inBatches(jobIds, async (ids, places) => {
    failed.push(
      ...(await tx.write(
        `UPDATE jobs SET state = 'failed', holder = NULL, deaths = deaths + 1, completed_at = $1, error = $2
         WHERE id IN (${places(3)}) AND ${stateWithoutIndex('running')} RETURNING id, callback_url`,
        [now, toJson(poisonError), ...ids],
      )),
    );
  });
  return failed;
}

/** `crashes`: 1 where the worker's crash is attributed to these jobs, otherwise 0. */
async function requeue(tx: Statements, jobIds: readonly string[], crashes: 0 | 1): Promise<void> {
  await inBatches(jobIds, async (ids, places) => {
    await tx.write(
      `UPDATE jobs SET state = 'available', holder = NULL, progress = NULL, collecting = 0, deaths = deaths + $1,
         died_collecting = CASE WHEN $1 = 0 OR (deaths > 0 AND died_collecting = 1) THEN died_collecting ELSE collecting END
       WHERE id IN (${places(2)}) AND ${stateWithoutIndex('running')}`,
      [crashes, ...ids],
    );
  });
}

/**
 * Only work in our own process can crash it. A job at an upstream, or rendered in a child process, only waits here,
 * except while its outputs are fetched. A worker that was stopping was terminated from outside.
 */
const atRisk = `CASE
  WHEN collecting = 0 AND EXISTS (SELECT 1 FROM attempts WHERE attempts.job_id = jobs.id AND answer = 'accepted') THEN 0
  WHEN EXISTS (SELECT 1 FROM workers WHERE workers.id = jobs.holder AND stopping_at IS NOT NULL) THEN 0
  ELSE 1 END`;

/** The jobs that a worker's crash is attributed to: its former suspects, and where it had none, all jobs at risk. */
function attributeCrashes(orphaned: readonly Row[]): ReadonlySet<Row> {
  const risky = orphaned.filter(row => integer(row, 'at_risk') === 1);
  const suspects = risky.filter(row => integer(row, 'deaths') > 0);
  const holders = new Set(suspects.map(row => row.holder));
  return new Set([...suspects, ...risky.filter(row => !holders.has(row.holder ?? null))]);
}

/** How a job ends that took too many processes with it. */
const poisonError = jobError(
  'internal_error',
  `the worker process crashed ${maxCrashes} times while it ran this job`,
);
