/** Reconciles a restored database: jobs that may have been submitted after the backup get an open intent. */
import { removeBackupMark } from '../db/backup.ts';
import type { Connection, Statements } from '../db/connection.ts';
import { text, textOrNull } from '../db/rows.ts';
import { aliveWorkers } from '../jobs/workers.ts';

/** Where an attempt of a job is sent. */
export interface Destination {
  readonly provider: string;
  readonly account: string;
  /** Whether the upstream charges for what it accepts. */
  readonly billable: boolean;
  /** False where another account may have been used as well: then the outcome cannot be looked up, nor the call resent. */
  readonly isCertain: boolean;
}

/** What the rows of a backup do not contain. */
export interface ReconcileOptions {
  /** Where the next attempt of a job of that model is sent; `account` is null where the rows do not name one. */
  readonly destinationOf: (modelId: string, account: string | null) => Destination;
  /** Time of the backup, epoch ms; null when it is unknown. */
  readonly backedUpAt: number | null;
  /** A worker with a heartbeat within this time is alive; 0 where no other process can exist. */
  readonly leaseMs: number;
}

/** `jobs`: how many got an open intent. */
export type Reconciled =
  | { readonly kind: 'reconciled'; readonly jobs: number }
  /** Jobs of live workers cannot be distinguished from those submitted after the backup. */
  | { readonly kind: 'workers_alive' };

/** Jobs that are not final and have no attempt that is open or in flight upstream. */
const possiblySubmitted = `FROM jobs LEFT JOIN attempts AS last ON last.job_id = jobs.id
    AND last.number = (SELECT MAX(number) FROM attempts AS own WHERE own.job_id = jobs.id)
  WHERE jobs.state IN ('available', 'running') AND (last.number IS NULL OR last.answer IN ('refused', 'lost'))`;

/**
 * Every job of a restored database that is not final may have been submitted after the backup. Each gets the open
 * intent that its next attempt would have written, so that the rules for an unknown outcome apply: resend with the same
 * key, look up, or report as uncertain. Runs before any worker claims, in one transaction.
 */
export function reconcileRestoredBackup(db: Connection, options: ReconcileOptions): Promise<Reconciled> {
  const { destinationOf, backedUpAt, leaseMs } = options;
  return db.transaction(async tx => {
    const alive = await tx.read(aliveWorkers(db, '$1'), [leaseMs]);
    if (alive.length > 0) return { kind: 'workers_alive' };
    const lines = await tx.read(
      `SELECT DISTINCT jobs.model_id, COALESCE(jobs.account, last.account) AS account ${possiblySubmitted}`,
    );
    let jobs = 0;
    for (const line of lines) {
      const [modelId, account] = [text(line, 'model_id'), textOrNull(line, 'account')];
      jobs += await insertOpenIntents(
        tx,
        { modelId, account },
        destinationOf(modelId, account),
        backedUpAt ?? 0,
      );
    }
    await bindJobsToIntents(tx);
    if (db.dialect === 'sqlite') await removeBackupMark(tx);
    return { kind: 'reconciled', jobs };
  });
}

/** Returns the number of jobs that got one. */
async function insertOpenIntents(
  tx: Statements,
  { modelId, account }: { readonly modelId: string; readonly account: string | null },
  { provider, account: next, billable, isCertain }: Destination,
  backedUpAt: number,
): Promise<number> {
  // Started at the earliest possible moment of the call, because upstreams forget keys after a time. An attempt
  // started at the epoch is forgotten everywhere.
  const rows = await tx.write(
    `INSERT INTO attempts (job_id, number, provider, account, dedupe_key, started_at, billable)
       SELECT jobs.id, COALESCE(last.number, 0) + 1,
         CASE WHEN last.account = $4 THEN last.provider ELSE $3 END, $4,
         jobs.id || '-' || CAST(COALESCE(last.number, 0) + 1 AS TEXT),
         CASE WHEN $7 = 0 THEN 0 WHEN jobs.created_at > $6 THEN jobs.created_at ELSE $6 END,
         CASE WHEN last.account = $4 THEN last.billable ELSE $5 END
       ${possiblySubmitted} AND jobs.model_id = $1 AND COALESCE(jobs.account, last.account, '') = $2
     RETURNING number`,
    [modelId, account ?? '', provider, account ?? next, billable ? 1 : 0, backedUpAt, isCertain ? 1 : 0],
  );
  return rows.length;
}

/** Only the account of an open intent can resolve it, and attempts are read only for jobs that were claimed before. */
async function bindJobsToIntents(tx: Statements): Promise<void> {
  const newest = `SELECT account FROM attempts AS newest WHERE newest.job_id = jobs.id AND newest.answer IS NULL
    AND newest.number = (SELECT MAX(number) FROM attempts AS own WHERE own.job_id = jobs.id)`;
  await tx.write(
    `UPDATE jobs SET account = (${newest}), claim = CASE WHEN claim = 0 THEN 1 ELSE claim END
     WHERE state IN ('available', 'running') AND EXISTS (${newest})`,
  );
}
