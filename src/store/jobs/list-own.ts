/** A user's own jobs over all models, for listings by a key. */
import { type JobId, type UserId, uuidv7 } from '../../domain/ids.ts';
import type { Job, JobStatus } from '../../domain/job.ts';
import type { Statements, Value } from '../db/connection.ts';
import { text } from '../db/rows.ts';
import {
  forStatusFromRow,
  type JobForStatus,
  jobColumns,
  jobFromRow,
  statesByStatus,
  statusColumns,
} from './read.ts';

/** Null members do not filter. */
export interface UserJobQuery {
  readonly userId: UserId;
  /** Null: every model. */
  readonly modelId: string | null;
  readonly externalTaskId: string | null;
  readonly status: JobStatus | null;
  /** Epoch ms; null: no lower bound. */
  readonly since: number | null;
  /** Only jobs older than this one. */
  readonly after: JobId | null;
  readonly limit: number;
}

/** A user's jobs, whatever their model, newest first. */
export async function listJobsOfUser(db: Statements, query: UserJobQuery): Promise<readonly JobForStatus[]> {
  const models = query.modelId === null ? await listModelsOfUser(db, query.userId) : [query.modelId];
  if (models.length === 0) return [];
  const values: Value[] = [query.userId, query.limit];
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = conditionsOf(query, bind);
  // The newest of each model, then the newest of those: in the index of a user's jobs the model precedes the time.
  const newest = models.map(
    modelId => `SELECT * FROM (SELECT ${statusColumns} FROM jobs
      WHERE user_id = $1 AND model_id = ${bind(modelId)}${conditions} ORDER BY id DESC LIMIT $2) AS newest`,
  );
  const rows = await db.read(`${newest.join(' UNION ALL ')} ORDER BY id DESC LIMIT $2`, values);
  return rows.map(forStatusFromRow);
}

/** The conditions of a query, each with its `AND`. */
function conditionsOf(
  { externalTaskId, after, since, status }: UserJobQuery,
  bind: (value: Value) => string,
): string {
  const conditions = [
    ...(externalTaskId === null ? [] : [`external_task_id = ${bind(externalTaskId)}`]),
    ...(after === null ? [] : [`id < ${bind(after)}`]),
    ...(since === null ? [] : [`id >= ${bind(idPrefixOfTime(since))}`]),
    ...(status === null ? [] : [`state IN (${statesByStatus[status].map(bind).join(', ')})`]),
  ];
  return conditions.map(condition => ` AND ${condition}`).join('');
}

/** The largest moment that a UUIDv7 can hold. */
const latestMs = 2 ** 48 - 1;

/** What every id of that moment begins with. */
export const idPrefixOfTime = (ms: number): string =>
  uuidv7(Math.min(latestMs, Math.max(0, ms))).slice(0, 13);

/** From one model to the next along the index, however many jobs there are of each. */
async function listModelsOfUser(db: Statements, userId: UserId): Promise<readonly string[]> {
  const rows = await db.read(
    `WITH RECURSIVE found (model_id) AS (
       SELECT min(model_id) FROM jobs WHERE user_id = $1
       UNION ALL
       SELECT (SELECT min(jobs.model_id) FROM jobs WHERE jobs.user_id = $1 AND jobs.model_id > found.model_id)
       FROM found WHERE found.model_id IS NOT NULL
     ) SELECT model_id FROM found WHERE model_id IS NOT NULL`,
    [userId],
  );
  return rows.map(row => text(row, 'model_id'));
}

/** Null for a job that is missing and for one of another user alike. */
export async function readJobOfUser(db: Statements, id: JobId, userId: UserId): Promise<Job | null> {
  const [row] = await db.read(`SELECT ${jobColumns} FROM jobs WHERE id = $1 AND user_id = $2`, [id, userId]);
  return row ? jobFromRow(row) : null;
}
