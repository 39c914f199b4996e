/** Lists of a user's jobs as other protocols show them: by kind, in either order, with what their bodies need. */

import type { JobId, UserId } from '../../domain/ids.ts';
import type { Job } from '../../domain/job.ts';
import type { Statements, Value } from '../db/connection.ts';
import { jobFromRow, summaryColumns } from './read.ts';

/** One page of such a list. */
export interface MountedJobQuery {
  readonly userId: UserId;
  /** The models of the list, at least one. */
  readonly modelIds: readonly string[];
  /** The job before the page; null: from the beginning. */
  readonly after: JobId | null;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
}

/** Of a longer input a list shows nothing: a page may have a hundred of them. */
const maxListedInputBytes = 64 * 1024;
/** All columns of `Job`; a long input is an empty object. */
const listedColumns = `${summaryColumns}, result,
  CASE WHEN octet_length(input) <= ${maxListedInputBytes} THEN input ELSE '{}' END AS input`;

/** The jobs that their client did not cancel or delete. */
export async function listMountedJobs(db: Statements, query: MountedJobQuery): Promise<readonly Job[]> {
  const { userId, modelIds, after, order, limit } = query;
  const values: Value[] = [userId, limit];
  const bind = (value: Value) => `$${values.push(value)}`;
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const beyond = after === null ? '' : ` AND id ${order === 'asc' ? '>' : '<'} ${bind(after)}`;
  // The first of each model, then the first of those: in the index of a user's jobs the model precedes the time.
  const first = modelIds.map(
    modelId => `SELECT * FROM (SELECT ${listedColumns} FROM jobs
      WHERE user_id = $1 AND model_id = ${bind(modelId)}${beyond}
      AND state <> 'cancelled' AND cancel_requested_at IS NULL ORDER BY id ${direction} LIMIT $2) AS first`,
  );
  const rows = await db.read(`${first.join(' UNION ALL ')} ORDER BY id ${direction} LIMIT $2`, values);
  return rows.map(jobFromRow);
}
