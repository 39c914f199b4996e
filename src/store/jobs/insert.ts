/** The one insert of a job, and the copy of a job beside it: rank, limits, idempotency and conflicts. */
import type { StoredFile } from '../../domain/file.ts';
import { type JobId, jobIdFromRow, keyIdFromRow, userIdFromRow } from '../../domain/ids.ts';
import type { Quota } from '../../domain/key.ts';
import { batch, batchInTransaction } from '../db/batch.ts';
import { availableTopic, type Connection, type Statements } from '../db/connection.ts';
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
import { clearExpiredIdempotencyKey, type EarlierUse, findEarlierUse } from './idempotency.ts';
import { extendInputs } from './inputs.ts';
import { insertHeldJobs } from './insert-held.ts';
import { type Inserted, insertRows, type NewJob, tryInsert } from './insert-rows.ts';

export type { NewJob } from './insert-rows.ts';

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
  if (files.length > 0 || quota !== null)
    return explainBudget(db, job, insertInTransaction(db, job, options));
  // Without limits there is nothing to lock.
  if (reservation === null) return db.dialect === 'postgres' ? tryInsertBatched(db, job) : tryInsert(db, job);
  const { payer, quote } = reservation;
  const made = quote === null ? 'undecided' : await insertHeldBatched(db, { job, payer, quote });
  if (made === 'undecided') return explainBudget(db, job, insertAlone(db, [job, options]));
  return made?.kind === 'budget_exceeded' ? ((await findConflict(db, job)) ?? made) : made;
}

/** A conflict takes precedence over a budget without room. */
async function explainBudget(
  db: Connection,
  job: NewJob,
  inserting: Promise<Insertion | null>,
): Promise<Insertion | null> {
  try {
    return await inserting;
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

/** One round trip and flush of PostgreSQL for many creations; SQLite has its own group commit. */
const tryInsertBatched = batch((db, jobs: readonly NewJob[]) => insertRows(db, db.dialect, jobs), {
  maxSize: 256,
  maxConcurrent: 2,
});

/**
 * One transaction for many creations that reserve their amounts: their accounts are locked once. A second one at the same
 * time would most often wait for those locks, with the few creations that arrived before it did.
 */
const insertHeldBatched = batchInTransaction(insertHeldJobs, { maxSize: 64, maxConcurrent: 1 });

/** Those that a batch cannot decide lock accounts, each with a connection of its own: two of them at a time. */
const insertAlone = batch(
  async (db, calls: readonly (readonly [NewJob, InsertOptions])[]) =>
    Promise.all(calls.map(([job, options]) => insertInTransaction(db, job, options))),
  { maxSize: 1, maxConcurrent: 2 },
);

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
