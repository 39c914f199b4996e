/** Usage lines of a job, from which reports and bills are made. */
import type { JobId } from '../../domain/ids.ts';
import type { Usage } from '../../domain/usage.ts';
import type { Statements } from '../db/connection.ts';

/** Records the usage of a job, in the transaction that settles it. */
export async function insertUsage(
  tx: Statements,
  jobId: JobId,
  usage: readonly Usage[],
  now: number,
): Promise<void> {
  for (const [line, { unit, quantity, basis }] of usage.entries())
    await tx.write(
      `INSERT INTO usage_lines (job_id, line, user_id, key_id, model_id, account, unit, quantity, basis, at)
         SELECT id, $2, user_id, key_id, model_id, account, $3, $4, $5, $6 FROM jobs WHERE id = $1`,
      [jobId, line, unit, quantity, basis, now],
    );
}
