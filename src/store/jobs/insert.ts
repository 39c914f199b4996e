/** The one insert of a job, and the copy of a job beside it: rank, limits, idempotency and conflicts. */
import type { StoredFile } from '../../domain/file.ts';
import {
  type JobId,
  jobIdFromRow,
  type KeyId,
  keyIdFromRow,
  type UserId,
  userIdFromRow,
} from '../../domain/ids.ts';
import type { Priority } from '../../domain/job.ts';
import type { Quota } from '../../domain/key.ts';
import { batch } from '../db/batch.ts';
import { availableTopic, type Connection, type Row, type Statements, type Value } from '../db/connection.ts';
import { integer, oneOf, text, textOrNull } from '../db/rows.ts';
import { insertFiles } from '../files/files.ts';
import {
  findExceededStorage,
  lockFilesOfUser,
  type StorageBounds,
  type StorageExceeded,
} from '../files/storage-usage.ts';
import { BudgetError, type BudgetExceeded, type Reservation, reserve } from '../money/holds.ts';
import {
  findExceededQuota,
  incrementDailyCount,
  lockQuota,
  type QuotaExceeded,
} from '../people/key-quota.ts';
import { countAheadSql, type PlaceInSql } from './count-ahead.ts';
import {
  clearExpiredIdempotencyKey,
  type EarlierUse,
  findEarlierUse,
  type Idempotency,
} from './idempotency.ts';
import { extendInputs } from './inputs.ts';

/** What admission decided about a job. */
export interface NewJob {
  readonly id: JobId;
  readonly userId: UserId;
  readonly keyId: KeyId;
  readonly modelId: string;
  readonly priority: Priority;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Deadline, epoch ms. */
  readonly expiresAt: number;
  /** The validated input as JSON text. */
  readonly input: string;
  /** The job that this one was made from. */
  readonly parentId: string | null;
  readonly externalTaskId: string | null;
  readonly callbackUrl: string | null;
  readonly idempotency: Idempotency | null;
  /** The accounts that may run it; absent or null: every account of its model. */
  readonly accounts?: readonly string[] | null;
  /** The job whose creation stored the input media; absent or null: this one. */
  readonly inputsOf?: JobId | null;
  /** Names and values that the client gave it, as JSON text; absent or null: none. */
  readonly tags?: string | null;
}

/** The row is there, with its place in the queue. */
interface Inserted {
  readonly kind: 'inserted';
  readonly rank: number;
  /** Jobs of the same model that start before it: exact up to the bound of `countAheadSql`, else beyond it. */
  readonly ahead: number;
}

/** Everything but `inserted` means that nothing was written. */
export type Insertion =
  | Inserted
  | EarlierUse
  | { readonly kind: 'external_task_id_used'; readonly jobId: JobId }
  | QuotaExceeded
  | StorageExceeded
  | BudgetExceeded;

/** The media of a job, and its limits. */
export interface InsertOptions {
  /** Media that were part of the creation. */
  readonly files?: readonly StoredFile[];
  /** Limits of its key; absent or null: any number of jobs. */
  readonly quota?: Quota | null;
  /** Storage limits of its key and user; absent or null: any number of bytes. */
  readonly storage?: StorageBounds | null;
  /** What it may cost, and who pays; absent or null: nothing is reserved. */
  readonly reservation?: Reservation | null;
}

/**
 * Inserts a job and announces it; flushed when it resolves. Its rank gives users fair turns: behind the user's other
 * available jobs of the model, never before the head of the queue. The limits of its key are checked in the same
 * transaction. A conflict (a create under the same Idempotency-Key, for one) takes precedence over an exceeded limit.
 */
export async function insertJob(
  db: Connection,
  job: NewJob,
  options: InsertOptions = {},
): Promise<Insertion> {
  const insertion = await insertOrExplain(db, job, options);
  if (insertion.kind === 'inserted') db.announce(availableTopic);
  return insertion;
}

/** A conflict that vanishes meanwhile is worth a second attempt; a third never is. */
async function insertOrExplain(db: Connection, job: NewJob, options: InsertOptions): Promise<Insertion> {
  const inserted = await insertWithinLimits(db, job, options);
  if (inserted) return inserted;
  if (job.idempotency) await clearExpiredIdempotencyKey(db, job, job.idempotency.key);
  return (
    (await findConflict(db, job)) ??
    // The conflicting row expired or was pruned a moment ago.
    (await insertWithinLimits(db, job, options)) ??
    Promise.reject(new Error(`expected job ${job.id} to be inserted or its conflict to be found`))
  );
}

/** Null: another row conflicts. */
async function insertWithinLimits(
  db: Connection,
  job: NewJob,
  options: InsertOptions,
): Promise<Insertion | null> {
  const { files = [], quota = null, reservation = null } = options;
  // Without limits there is nothing to lock.
  if (files.length === 0 && quota === null && reservation === null)
    return db.dialect === 'postgres' ? tryInsertBatched(db, job) : tryInsert(db, job);
  try {
    return await insertInTransaction(db, job, options);
  } catch (failure) {
    if (!(failure instanceof BudgetError)) throw failure;
    return (await findConflict(db, job)) ?? failure.exceeded;
  }
}

/** Throws `BudgetError`, which rolls everything back. */
function insertInTransaction(
  db: Connection,
  job: NewJob,
  { files = [], quota = null, storage = null, reservation = null }: InsertOptions,
): Promise<Insertion | null> {
  return db.transaction(async tx => {
    const bounds = quota && (await lockQuota(tx, job.keyId));
    if (files.length > 0) await lockFilesOfUser(tx, job.userId);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const used =
      (bounds && (await findExceededQuota(tx, job.keyId, bounds, job.createdAt))) ??
      (storage && bytes > 0 ? await findExceededStorage(tx, job, bytes, storage) : null);
    if (used) return (await findConflict(tx, job)) ?? used;
    const inserted = await tryInsert(tx, job);
    if (!inserted) return null;
    if (reservation) await reserve(tx, { ...job, tags: job.tags ?? null }, reservation);
    if (bounds && bounds.perDay !== null) await incrementDailyCount(tx, job.keyId, job.createdAt);
    await insertFiles(tx, files);
    return inserted;
  });
}

/** Why nothing was inserted: the idempotency key first, then the caller's own id. */
const findConflict = async (db: Statements, job: NewJob): Promise<Insertion | null> =>
  (await findEarlierUse(db, job, job.createdAt)) ?? (await findByExternalTaskId(db, job));

/** The columns that an insert fills, and their types in a JSON record set. */
const columns = {
  id: 'TEXT',
  user_id: 'TEXT',
  key_id: 'TEXT',
  model_id: 'TEXT',
  band: 'INTEGER',
  due_at: 'BIGINT',
  created_at: 'BIGINT',
  expires_at: 'BIGINT',
  input: 'TEXT',
  parent_id: 'TEXT',
  external_task_id: 'TEXT',
  callback_url: 'TEXT',
  idempotency_key: 'TEXT',
  idempotency_hash: 'TEXT',
  accounts: 'TEXT',
  inputs_of: 'TEXT',
  tags: 'TEXT',
} as const;
type Column = keyof typeof columns;
const columnNames = Object.keys(columns) as Column[];

/** A new job as its row. */
const rowOf = (job: NewJob): Readonly<Record<Column, Value>> => ({
  id: job.id,
  user_id: job.userId,
  key_id: job.keyId,
  model_id: job.modelId,
  band: job.priority,
  due_at: job.createdAt,
  created_at: job.createdAt,
  expires_at: job.expiresAt,
  input: job.input,
  parent_id: job.parentId,
  external_task_id: job.externalTaskId,
  callback_url: job.callbackUrl,
  idempotency_key: job.idempotency?.key ?? null,
  idempotency_hash: job.idempotency?.hash ?? null,
  accounts: job.accounts ? `,${job.accounts.join(',')},` : null,
  inputs_of: job.inputsOf ?? null,
  tags: job.tags ?? null,
});

// The user as a range and the ORDER BY keep the planner on the index by user: with the claim index it would read the
// jobs of all users to find the last of one.
const rankOf = (value: (column: Column) => string) =>
  `COALESCE((SELECT MAX(place) FROM (
     SELECT rank + 1 AS place FROM (SELECT rank FROM jobs
       WHERE model_id = ${value('model_id')} AND band = ${value('band')}
         AND user_id BETWEEN ${value('user_id')} AND ${value('user_id')} AND state = 'available'
       ORDER BY user_id DESC, rank DESC LIMIT 1) AS own
     UNION ALL
     SELECT MIN(rank) FROM jobs
     WHERE model_id = ${value('model_id')} AND band = ${value('band')} AND state = 'available') AS places), 0)`;

/** The position is counted where the rank is known, so that the answer to a creation needs no other statement. */
const returning = (place: PlaceInSql) =>
  `ON CONFLICT DO NOTHING RETURNING id, rank, ${countAheadSql(place)} AS ahead`;
const parameter = (column: Column) => `$${columnNames.indexOf(column) + 1}`;
const insertOne = `INSERT INTO jobs (${columnNames}, state, rank) VALUES (${columnNames.map(parameter)}, 'available', ${rankOf(parameter)})
  ${returning({
    modelId: parameter('model_id'),
    priority: parameter('band'),
    // SQLite bounds the range of the index by a column only where it is an expression.
    rank: '+jobs.rank',
    id: parameter('id'),
  })}`;

// Jobs of one statement do not see each other: `behind` is how many of them precede one in its user's queue.
const insertMany = `INSERT INTO jobs (${columnNames}, state, rank)
  SELECT ${columnNames}, 'available', ${rankOf(column => `fresh.${column}`)} + behind
  FROM json_to_recordset(CAST($1 AS JSON))
    AS fresh(behind INTEGER, ${columnNames.map(column => `${column} ${columns[column]}`)})
  ${returning({ modelId: 'jobs.model_id', priority: 'jobs.band', rank: 'jobs.rank', id: 'jobs.id' })}`;

/**
 * Inserts a job with the same input for the same key, as if its client had created it now: with the accounts, the
 * priority, the callback, the media and the time to its deadline of the original. Idempotency-Key and external_task_id
 * are unique and stay with the original. False when there is no such job. The caller announces it after its commit.
 */
export async function copyJob(
  tx: Statements,
  { from, to }: { readonly from: JobId; readonly to: JobId },
  now: number,
): Promise<boolean> {
  // Locks the original: its settlement would expire the media that the copy needs.
  const [row] = await tx.write(
    `UPDATE jobs SET band = band WHERE id = $1
     RETURNING user_id, key_id, model_id, band, created_at, expires_at, input, callback_url, accounts, inputs_of, tags`,
    [from],
  );
  if (!row) return false;
  const inputsOf = jobIdFromRow(textOrNull(row, 'inputs_of') ?? from);
  await tryInsert(tx, {
    id: to,
    userId: userIdFromRow(text(row, 'user_id')),
    keyId: keyIdFromRow(text(row, 'key_id')),
    modelId: text(row, 'model_id'),
    priority: oneOf(row, 'band', [0, 1]),
    createdAt: now,
    expiresAt: now + integer(row, 'expires_at') - integer(row, 'created_at'),
    input: text(row, 'input'),
    parentId: from,
    externalTaskId: null,
    callbackUrl: textOrNull(row, 'callback_url'),
    idempotency: null,
    accounts: accountsFromText(textOrNull(row, 'accounts')),
    inputsOf,
    tags: textOrNull(row, 'tags'),
  });
  await extendInputs(tx, inputsOf, now);
  return true;
}

/** Each account is enclosed by commas: see `rowOf`. */
const accountsFromText = (written: string | null): readonly string[] | null =>
  written === null ? null : written.split(',').filter(account => account !== '');

const insertionFromRow = (row: Row | undefined): Inserted | null =>
  row ? { kind: 'inserted', rank: integer(row, 'rank'), ahead: integer(row, 'ahead') } : null;

async function tryInsert(db: Statements, job: NewJob): Promise<Insertion | null> {
  const [row] = await db.write(insertOne, Object.values(rowOf(job)));
  return insertionFromRow(row);
}

/** One round trip and flush of PostgreSQL for many creations; SQLite has its own group commit. */
const tryInsertBatched = batch(
  async (db, jobs: readonly NewJob[]) => {
    const rows = await db.write(insertMany, [JSON.stringify(withRankOffsets(jobs))]);
    const rowById = new Map(rows.map(row => [text(row, 'id'), row]));
    const placed = jobs.flatMap(job => {
      const row = rowById.get(job.id);
      return row ? [{ job, row, rank: integer(row, 'rank') }] : [];
    });
    placed.sort(
      (a, b) => a.job.priority - b.job.priority || a.rank - b.rank || (a.job.id < b.job.id ? -1 : 1),
    );
    // Jobs of one statement do not see each other: those of the same model that precede a job are added.
    const precedingOf = new Map<string, number>();
    const insertions = new Map<JobId, Inserted>();
    for (const { job, row, rank } of placed) {
      const preceding = precedingOf.get(job.modelId) ?? 0;
      precedingOf.set(job.modelId, preceding + 1);
      insertions.set(job.id, { kind: 'inserted', rank, ahead: integer(row, 'ahead') + preceding });
    }
    return jobs.map(({ id }) => insertions.get(id) ?? null);
  },
  { maxSize: 256, maxConcurrent: 2 },
);

/** Adds `behind` to each row: see `insertMany`. */
function withRankOffsets(jobs: readonly NewJob[]) {
  const lengths = new Map<string, number>();
  return jobs.map(job => {
    const queue = `${job.modelId} ${job.priority} ${job.userId}`;
    const behind = lengths.get(queue) ?? 0;
    lengths.set(queue, behind + 1);
    return { behind, ...rowOf(job) };
  });
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
