/** Idempotency keys: which job an earlier creation under the same key made. */
import { hours } from '../../domain/clock.ts';
import { type JobId, jobIdFromRow } from '../../domain/ids.ts';
import { type JobState, transitions } from '../../domain/job.ts';
import type { Statements } from '../db/connection.ts';
import { integerOrNull, oneOf, text } from '../db/rows.ts';
import { idPrefixOfTime } from './list-own.ts';

/** Decisions 2: an Idempotency-Key is remembered for this long. */
const idempotencyLifeMs = 24 * hours;

/** The Idempotency-Key of a creation. */
export interface Idempotency {
  readonly key: string;
  /** Hash of the parsed body: another body under the same key is refused. */
  readonly hash: string;
}

/** A creation under an idempotency key, as far as the key goes. */
interface KeyedCreation {
  readonly userId: string;
  readonly modelId: string;
  readonly idempotency: Idempotency | null;
}

/** What the key of a creation was used for before. */
export type EarlierUse =
  | { readonly kind: 'replayed'; readonly jobId: JobId }
  | { readonly kind: 'idempotency_key_reused' };

/** The earlier create under the same Idempotency-Key, if that has not expired. */
export async function findEarlierUse(
  db: Statements,
  { userId, modelId, idempotency }: KeyedCreation,
  now: number,
): Promise<EarlierUse | null> {
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

/** A creation under one of several keys with a common beginning. */
export interface KeyedJob {
  readonly key: string;
  readonly state: JobState;
  /** Epoch ms; null: not ended. */
  readonly completedAt: number | null;
}

/** The last job that a user created since then under a key that begins so; null where there is none. */
export async function findLatestOfKeys(
  db: Statements,
  { userId, modelId }: Pick<KeyedCreation, 'userId' | 'modelId'>,
  keysBegin: string,
  since: number,
): Promise<KeyedJob | null> {
  const [row] = await db.read(
    `SELECT idempotency_key, state, completed_at FROM jobs
     WHERE user_id = $1 AND model_id = $2 AND id >= $3 AND idempotency_key LIKE $4
     ORDER BY id DESC LIMIT 1`,
    // Of the jobs since then alone, along the index of a user's jobs: they may be many, and keys are in no useful order.
    [userId, modelId, idPrefixOfTime(since), `${keysBegin}%`],
  );
  return row
    ? {
        key: text(row, 'idempotency_key'),
        state: oneOf(row, 'state', jobStates),
        completedAt: integerOrNull(row, 'completed_at'),
      }
    : null;
}

const jobStates = Object.keys(transitions) as readonly JobState[];

/** An expired key may be used again; the unique index knows no time. */
export const clearExpiredIdempotencyKey = (
  db: Statements,
  job: { readonly userId: string; readonly modelId: string; readonly createdAt: number },
  key: string,
) =>
  db.write(
    `UPDATE jobs SET idempotency_key = NULL, idempotency_hash = NULL
     WHERE user_id = $1 AND model_id = $2 AND idempotency_key = $3 AND created_at <= $4`,
    [job.userId, job.modelId, key, job.createdAt - idempotencyLifeMs],
  );
