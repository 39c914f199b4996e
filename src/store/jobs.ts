import { hours } from '../domain/clock.ts';
import type { StoredFile } from '../domain/file.ts';
import {
  type JobId,
  jobIdFromRow,
  type KeyId,
  keyIdFromRow,
  type UserId,
  userIdFromRow,
  workerIdFromRow,
} from '../domain/ids.ts';
import type { Band, Job, JobError, JobEvent, JobResult, JobState, JobStatus } from '../domain/job.ts';
import { fromJson } from '../domain/json.ts';
import type { Connection, Row, Statements, Value } from './connection.ts';
import { insertFile } from './files.ts';
import { integer, integerOrNull, oneOf, text, textOrNull } from './rows.ts';

/** Decisions 2: an Idempotency-Key is remembered this long. */
const idempotencyLifeMs = 24 * hours;

export interface NewJob {
  readonly id: JobId;
  readonly userId: UserId;
  readonly keyId: KeyId;
  readonly modelId: string;
  readonly band: Band;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The validated input as JSON text. */
  readonly input: string;
  /** The job that this one was made from. */
  readonly parentId: string | null;
  readonly externalTaskId: string | null;
  readonly callbackUrl: string | null;
  readonly idempotency: Idempotency | null;
}

export interface Idempotency {
  readonly key: string;
  /** Of the parsed body: another body under the same key is refused. */
  readonly hash: string;
}

/** What a status needs: everything but the two big columns. */
export type JobSummary = Omit<Job, 'input' | 'result'>;

export type Insertion =
  | { readonly kind: 'inserted'; readonly rank: number }
  | { readonly kind: 'replayed'; readonly jobId: JobId }
  | { readonly kind: 'idempotency_key_reused' }
  | { readonly kind: 'external_task_id_used'; readonly jobId: JobId };

/**
 * Keeps a job; flushed when it resolves. Its rank lets users take turns: behind their own waiting jobs
 * of the model, never before the front of the line.
 */
export async function insertJob(
  db: Connection,
  job: NewJob,
  files: readonly StoredFile[] = [],
): Promise<Insertion> {
  const inserted = await insertWithFiles(db, job, files);
  if (inserted) return inserted;
  if (job.idempotency) await forgetOldIdempotencyKey(db, job, job.idempotency.key);
  return (
    (await findReplay(db, job, job.createdAt)) ??
    (await findByExternalTaskId(db, job)) ??
    // What stood in the way is gone: it was forgotten or pruned a moment ago.
    (await insertWithFiles(db, job, files)) ??
    Promise.reject(new Error(`expected job ${job.id} to be inserted or its conflict to be found`))
  );
}

function insertWithFiles(
  db: Connection,
  job: NewJob,
  files: readonly StoredFile[],
): Promise<Insertion | null> {
  if (files.length === 0) return tryInsert(db, job);
  return db.transaction(async tx => {
    const inserted = await tryInsert(tx, job);
    for (const file of inserted ? files : []) await insertFile(tx, file);
    return inserted;
  });
}

// The user as a range and the order by it keep the planner on the index of users: by the claim index it
// would read through everybody's jobs to find the last of one.
async function tryInsert(db: Statements, job: NewJob): Promise<Insertion | null> {
  const [row] = await db.write(
    `INSERT INTO jobs (id, user_id, key_id, model_id, state, band, rank, due_at, created_at, expires_at, input,
       parent_id, external_task_id, callback_url, idempotency_key, idempotency_hash)
     VALUES ($1, $2, $3, $4, 'available', $5,
       COALESCE((SELECT MAX(place) FROM (
         SELECT rank + 1 AS place FROM (SELECT rank FROM jobs
           WHERE model_id = $4 AND band = $5 AND user_id BETWEEN $2 AND $2 AND state = 'available'
           ORDER BY user_id DESC, rank DESC LIMIT 1) AS own
         UNION ALL
         SELECT MIN(rank) FROM jobs WHERE model_id = $4 AND band = $5 AND state = 'available') AS places), 0),
       $6, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT DO NOTHING
     RETURNING rank`,
    [
      job.id,
      job.userId,
      job.keyId,
      job.modelId,
      job.band,
      job.createdAt,
      job.expiresAt,
      job.input,
      job.parentId,
      job.externalTaskId,
      job.callbackUrl,
      job.idempotency?.key ?? null,
      job.idempotency?.hash ?? null,
    ],
  );
  return row ? { kind: 'inserted', rank: integer(row, 'rank') } : null;
}

const forgetOldIdempotencyKey = (db: Statements, job: NewJob, key: string) =>
  db.write(
    `UPDATE jobs SET idempotency_key = NULL, idempotency_hash = NULL
     WHERE user_id = $1 AND model_id = $2 AND idempotency_key = $3 AND created_at <= $4`,
    [job.userId, job.modelId, key, job.createdAt - idempotencyLifeMs],
  );

/** The earlier create under the same Idempotency-Key, if it is not too old. */
export async function findReplay(
  db: Statements,
  { userId, modelId, idempotency }: Pick<NewJob, 'userId' | 'modelId' | 'idempotency'>,
  now: number,
): Promise<Insertion | null> {
  if (!idempotency) return null;
  const [row] = await db.read(
    `SELECT id, idempotency_hash FROM jobs
     WHERE user_id = $1 AND model_id = $2 AND idempotency_key = $3 AND created_at > $4`,
    [userId, modelId, idempotency.key, now - idempotencyLifeMs],
  );
  if (!row) return null;
  if (text(row, 'idempotency_hash') !== idempotency.hash) return { kind: 'idempotency_key_reused' };
  return { kind: 'replayed', jobId: jobIdFromRow(text(row, 'id')) };
}

/** Contract 2: an external_task_id is unique per user. */
export async function findByExternalTaskId(
  db: Statements,
  { userId, externalTaskId }: Pick<NewJob, 'userId' | 'externalTaskId'>,
): Promise<Insertion | null> {
  if (externalTaskId === null) return null;
  const [row] = await db.read('SELECT id FROM jobs WHERE user_id = $1 AND external_task_id = $2', [
    userId,
    externalTaskId,
  ]);
  return row ? { kind: 'external_task_id_used', jobId: jobIdFromRow(text(row, 'id')) } : null;
}

const summaryColumns = `id, user_id, key_id, model_id, state, band, rank, due_at, holder, claim, deaths, created_at,
  started_at, completed_at, expires_at, cancel_requested_at, external_task_id, callback_url, progress, error`;
export const jobColumns = `${summaryColumns}, input, result`;

/** Null for a job that is not there, of another user or of another model alike. */
export async function readJobSummary(db: Statements, asked: JobAddress): Promise<JobSummary | null> {
  const [row] = await db.read(
    `SELECT ${summaryColumns} FROM jobs WHERE id = $1 AND user_id = $2 AND model_id = $3`,
    [asked.jobId, asked.userId, asked.modelId],
  );
  return row ? summaryFromRow(row) : null;
}

export async function readJob(db: Statements, asked: JobAddress): Promise<Job | null> {
  const [row] = await db.read(
    `SELECT ${jobColumns} FROM jobs WHERE id = $1 AND user_id = $2 AND model_id = $3`,
    [asked.jobId, asked.userId, asked.modelId],
  );
  return row ? jobFromRow(row) : null;
}

/** For work of our own on a job that a row of ours names. */
export async function readJobById(db: Statements, id: JobId): Promise<Job | null> {
  const [row] = await db.read(`SELECT ${jobColumns} FROM jobs WHERE id = $1`, [id]);
  return row ? jobFromRow(row) : null;
}

/** How a client names a job: all three must fit. */
export interface JobAddress {
  readonly jobId: JobId;
  readonly userId: UserId;
  readonly modelId: string;
}

const statesByStatus: Readonly<Record<JobStatus, readonly JobState[]>> = {
  IN_QUEUE: ['available'],
  IN_PROGRESS: ['running'],
  COMPLETED: ['completed', 'failed', 'cancelled'],
};

export interface JobQuery {
  readonly userId: UserId;
  readonly modelId: string;
  readonly externalTaskId: string | null;
  readonly status: JobStatus | null;
  /** Only jobs older than this one. */
  readonly after: JobId | null;
  readonly limit: number;
}

/** A user's jobs of a model, newest first. */
export async function listJobs(db: Statements, query: JobQuery): Promise<readonly JobSummary[]> {
  const values: Value[] = [query.userId, query.modelId, query.limit];
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = ['user_id = $1', 'model_id = $2'];
  if (query.externalTaskId !== null) conditions.push(`external_task_id = ${bind(query.externalTaskId)}`);
  if (query.after !== null) conditions.push(`id < ${bind(query.after)}`);
  if (query.status !== null)
    conditions.push(`state IN (${statesByStatus[query.status].map(bind).join(', ')})`);
  const rows = await db.read(
    `SELECT ${summaryColumns} FROM jobs WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT $3`,
    values,
  );
  return rows.map(summaryFromRow);
}

/** What happened to a job beside its changes of state, oldest first. */
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

export function summaryFromRow(row: Row): JobSummary {
  const holder = textOrNull(row, 'holder');
  const progress = integerOrNull(row, 'progress');
  const error = textOrNull(row, 'error');
  return {
    id: jobIdFromRow(text(row, 'id')),
    userId: userIdFromRow(text(row, 'user_id')),
    keyId: keyIdFromRow(text(row, 'key_id')),
    modelId: text(row, 'model_id'),
    state: oneOf(row, 'state', ['available', 'running', 'completed', 'failed', 'cancelled']),
    band: oneOf(row, 'band', [0, 1]),
    rank: integer(row, 'rank'),
    dueAt: integer(row, 'due_at'),
    holder: holder === null ? null : workerIdFromRow(holder),
    claim: integer(row, 'claim'),
    deaths: integer(row, 'deaths'),
    createdAt: integer(row, 'created_at'),
    startedAt: integerOrNull(row, 'started_at'),
    completedAt: integerOrNull(row, 'completed_at'),
    expiresAt: integer(row, 'expires_at'),
    cancelRequestedAt: integerOrNull(row, 'cancel_requested_at'),
    externalTaskId: textOrNull(row, 'external_task_id'),
    callbackUrl: textOrNull(row, 'callback_url'),
    progress: progress === null ? null : progress / 1000,
    // Written by `settle` alone, from a typed value.
    error: error === null ? null : (JSON.parse(error) as JobError),
  };
}

export function jobFromRow(row: Row): Job {
  const result = textOrNull(row, 'result');
  return {
    ...summaryFromRow(row),
    input: fromJson(text(row, 'input')),
    result: result === null ? null : (JSON.parse(result) as JobResult),
  };
}
