/** Reads jobs: summaries, status, whole jobs, lists and their timelines. */
import {
  type JobId,
  jobIdFromRow,
  keyIdFromRow,
  type UserId,
  userIdFromRow,
  workerIdFromRow,
} from '../../domain/ids.ts';
import type { Job, JobError, JobEvent, JobResult, JobState, JobStatus, Priority } from '../../domain/job.ts';
import { fromJson } from '../../domain/json.ts';
import type { CostBody } from '../../domain/money.ts';
import { batch } from '../db/batch.ts';
import type { Row, Statements, Value } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text, textOrNull } from '../db/rows.ts';
import { countAheadSql, type PlaceInSql } from './count-ahead.ts';

/** A job without its two large columns. */
export type JobSummary = Omit<Job, 'input' | 'result'>;

/** Columns of a `JobSummary`. `band` and `deaths` are the former names of priority and crashes. */
export const summaryColumns = `id, user_id, key_id, model_id, state, band, rank, due_at, holder, claim, deaths, created_at,
  started_at, completed_at, expires_at, cancel_requested_at, external_task_id, callback_url, progress, error, tags, cost`;
/** All columns of `Job`. */
export const jobColumns = `${summaryColumns}, input, result`;

/** What a status response is made of, and no other column. That of an unfinished job echoes part of the input. */
export interface JobForStatus
  extends Pick<
    Job,
    | 'id'
    | 'userId'
    | 'modelId'
    | 'state'
    | 'priority'
    | 'rank'
    | 'createdAt'
    | 'startedAt'
    | 'completedAt'
    | 'externalTaskId'
    | 'progress'
    | 'error'
    | 'tags'
    | 'cost'
  > {
  /** Parses the input: few families show it. Absent once the job has ended, and where it is too large for a list. */
  readonly input?: () => unknown;
  /** Jobs that start before it, counted with it: see `countAheadSql`. Absent in lists; null unless it waits. */
  readonly ahead?: number | null;
}

/** A whole job as its status needs it. */
export const forStatus = (job: Job): JobForStatus => ({ ...job, input: () => job.input });

/** Lists and batched reads return up to 256 of them. */
const maxEchoedInputBytes = 64 * 1024;
/** Columns of a `JobForStatus`, without the jobs ahead. */
export const statusColumns = `id, user_id, model_id, state, band, rank, created_at, started_at, completed_at, external_task_id,
  progress, error, tags, cost, CASE WHEN state IN ('available', 'running')
  AND octet_length(input) <= ${maxEchoedInputBytes} THEN input END AS input`;

/** Null for a job that is missing, of another user or of another model alike. */
export async function readJobSummary(db: Statements, address: JobAddress): Promise<JobSummary | null> {
  const [row] = await db.read(
    `SELECT ${summaryColumns} FROM jobs WHERE id = $1 AND user_id = $2 AND model_id = $3`,
    [address.jobId, address.userId, address.modelId],
  );
  return row ? summaryFromRow(row) : null;
}

/**
 * For the status endpoint: concurrent reads run together, on PostgreSQL in one statement. Their answers are then written
 * one after another, which takes a third less of the processor than a write between every two requests.
 */
export const readJobForStatus = batch(
  (db, addresses: readonly JobAddress[]) =>
    db.dialect === 'postgres'
      ? readManyForStatus(db, addresses)
      : Promise.all(addresses.map(address => readForStatus(db, address))),
  { maxSize: 256, maxConcurrent: 2 },
);

/** A status of a waiting job has its position, which one statement reads with it. */
const selectForStatus = (place: PlaceInSql) => `SELECT ${statusColumns},
  CASE WHEN state = 'available' THEN ${countAheadSql(place)} END AS ahead FROM jobs`;
// SQLite bounds the range of an index by a column of another row only where it is an expression, which has no affinity.
const inSqlite = { modelId: '$3', priority: '+jobs.band', rank: '+jobs.rank', id: '$1' };
const selectOneForStatus = `${selectForStatus(inSqlite)} WHERE id = $1 AND user_id = $2 AND model_id = $3`;
const inPostgres = { modelId: 'jobs.model_id', priority: 'jobs.band', rank: 'jobs.rank', id: 'jobs.id' };
const selectManyForStatus = `${selectForStatus(inPostgres)}
  WHERE id = ANY(ARRAY(SELECT json_array_elements_text(CAST($1 AS JSON))))`;

/** For rows of the two statements above. */
const withAheadFromRow = (row: Row): JobForStatus => ({
  ...forStatusFromRow(row),
  ahead: integerOrNull(row, 'ahead'),
});

/** One statement for one job. */
async function readForStatus(
  db: Statements,
  { jobId, userId, modelId }: JobAddress,
): Promise<JobForStatus | null> {
  const [row] = await db.read(selectOneForStatus, [jobId, userId, modelId]);
  return row ? withAheadFromRow(row) : null;
}

/** One statement for all that are requested at the same moment; user and model are compared here, not in SQL. */
async function readManyForStatus(
  db: Statements,
  addresses: readonly JobAddress[],
): Promise<readonly (JobForStatus | null)[]> {
  const ids = JSON.stringify(addresses.map(({ jobId }) => jobId));
  const rows = await db.read(selectManyForStatus, [ids]);
  const rowById = new Map(rows.map(row => [text(row, 'id'), row]));
  return addresses.map(({ jobId, userId, modelId }) => {
    const row = rowById.get(jobId);
    return row && row.user_id === userId && row.model_id === modelId ? withAheadFromRow(row) : null;
  });
}

/** Null for a job that is missing, of another user or of another model alike. */
export async function readJob(db: Statements, address: JobAddress): Promise<Job | null> {
  const [row] = await db.read(
    `SELECT ${jobColumns} FROM jobs WHERE id = $1 AND user_id = $2 AND model_id = $3`,
    [address.jobId, address.userId, address.modelId],
  );
  return row ? jobFromRow(row) : null;
}

/** Without a check of the user: for internal use. */
export async function readJobById(db: Statements, id: JobId): Promise<Job | null> {
  const [row] = await db.read(`SELECT ${jobColumns} FROM jobs WHERE id = $1`, [id]);
  return row ? jobFromRow(row) : null;
}

/** How a client addresses a job: all three must match. */
export interface JobAddress {
  readonly jobId: JobId;
  readonly userId: UserId;
  readonly modelId: string;
}

/** The states behind each public status. */
export const statesByStatus: Readonly<Record<JobStatus, readonly JobState[]>> = {
  IN_QUEUE: ['available'],
  IN_PROGRESS: ['running'],
  COMPLETED: ['completed', 'failed', 'cancelled'],
};

/** Null members do not filter. */
export interface JobQuery {
  readonly userId: UserId;
  readonly modelId: string;
  readonly externalTaskId: string | null;
  readonly status: JobStatus | null;
  /** Only jobs older than this one; null: from the newest. */
  readonly after: JobId | null;
  readonly limit: number;
}

/** A user's jobs of a model, newest first. */
export async function listJobs(db: Statements, query: JobQuery): Promise<readonly JobForStatus[]> {
  const values: Value[] = [query.userId, query.modelId, query.limit];
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = ['user_id = $1', 'model_id = $2'];
  if (query.externalTaskId !== null) conditions.push(`external_task_id = ${bind(query.externalTaskId)}`);
  if (query.after !== null) conditions.push(`id < ${bind(query.after)}`);
  if (query.status !== null)
    conditions.push(`state IN (${statesByStatus[query.status].map(bind).join(', ')})`);
  const rows = await db.read(
    `SELECT ${statusColumns} FROM jobs WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT $3`,
    values,
  );
  return rows.map(forStatusFromRow);
}

/** The timeline of a job beside its changes of state, oldest first. */
export async function listEvents(db: Statements, jobId: JobId): Promise<readonly JobEvent[]> {
  const rows = await db.read(
    'SELECT at, level, message FROM events WHERE job_id = $1 ORDER BY id LIMIT 1000',
    [jobId],
  );
  return rows.map(row => ({
    at: integer(row, 'at'),
    level: oneOf(row, 'level', ['INFO', 'WARN', 'ERROR']),
    message: text(row, 'message'),
  }));
}

/** For rows of `summaryColumns`. */
export function summaryFromRow(row: Row): JobSummary {
  const holder = textOrNull(row, 'holder');
  return {
    ...withoutInputFromRow(row),
    keyId: keyIdFromRow(text(row, 'key_id')),
    dueAt: integer(row, 'due_at'),
    holder: holder === null ? null : workerIdFromRow(holder),
    claim: integer(row, 'claim'),
    crashes: integer(row, 'deaths'),
    expiresAt: integer(row, 'expires_at'),
    cancelRequestedAt: integerOrNull(row, 'cancel_requested_at'),
    callbackUrl: textOrNull(row, 'callback_url'),
  };
}

/** Every state of a row; another one is a fault of the database. */
const states: readonly JobState[] = ['available', 'running', 'completed', 'failed', 'cancelled'];
/** Values of `band`, the more urgent first. */
const priorities: readonly Priority[] = [0, 1];

/** What both kinds of rows have in common. Progress is stored in thousandths. */
function withoutInputFromRow(row: Row): Omit<JobForStatus, 'input'> {
  const progress = integerOrNull(row, 'progress');
  const error = textOrNull(row, 'error');
  const [tags, cost] = [textOrNull(row, 'tags'), textOrNull(row, 'cost')];
  return {
    id: jobIdFromRow(text(row, 'id')),
    userId: userIdFromRow(text(row, 'user_id')),
    modelId: text(row, 'model_id'),
    state: oneOf(row, 'state', states),
    priority: oneOf(row, 'band', priorities),
    rank: integer(row, 'rank'),
    createdAt: integer(row, 'created_at'),
    startedAt: integerOrNull(row, 'started_at'),
    completedAt: integerOrNull(row, 'completed_at'),
    externalTaskId: textOrNull(row, 'external_task_id'),
    progress: progress === null ? null : progress / 1000,
    // Written by `settle` alone, from a typed value.
    error: error === null ? null : (JSON.parse(error) as JobError),
    tags: tags === null ? null : (JSON.parse(tags) as Record<string, string>),
    cost: cost === null ? null : (JSON.parse(cost) as CostBody),
  };
}

/** For rows of `statusColumns`. */
export function forStatusFromRow(row: Row): JobForStatus {
  const input = textOrNull(row, 'input');
  const job = withoutInputFromRow(row);
  return input === null ? job : { ...job, input: () => fromJson(input) };
}

/** For rows of `jobColumns`. */
export function jobFromRow(row: Row): Job {
  const result = textOrNull(row, 'result');
  return {
    ...summaryFromRow(row),
    input: fromJson(text(row, 'input')),
    result: result === null ? null : (JSON.parse(result) as JobResult),
  };
}
