/** Counts of jobs, for limits of the backlog and for metrics. */
import type { KeyId } from '../../domain/ids.ts';
import type { Statements } from '../db/connection.ts';
import { integer, oneOf, text } from '../db/rows.ts';

/** Available jobs of a key, counted up to a bound. */
export async function countWaitingOfKey(db: Statements, keyId: KeyId, upTo: number): Promise<number> {
  const [row] = await db.read(
    `SELECT count(*) AS waiting FROM (SELECT 1 FROM jobs WHERE key_id = $1 AND state = 'available' LIMIT $2) AS counted`,
    [keyId, upTo],
  );
  return integer(row!, 'waiting');
}

/** Available and running jobs of a key, each counted up to a bound. */
export async function countUnfinishedOfKey(db: Statements, keyId: KeyId, upTo: number): Promise<number> {
  const [row] = await db.read(
    `SELECT count(*) AS unfinished FROM (
       SELECT 1 FROM (SELECT id FROM jobs WHERE key_id = $1 AND state = 'available' LIMIT $2) AS waiting
       UNION ALL SELECT 1 FROM (SELECT id FROM jobs WHERE key_id = $1 AND state = 'running' LIMIT $2) AS running) AS counted`,
    [keyId, upTo],
  );
  return integer(row!, 'unfinished');
}

/** Available jobs of all keys, counted up to a bound. */
export async function countWaiting(db: Statements, upTo: number): Promise<number> {
  const [row] = await db.read(
    `SELECT count(*) AS waiting FROM (SELECT 1 FROM jobs WHERE state = 'available' LIMIT $1) AS counted`,
    [upTo],
  );
  return integer(row!, 'waiting');
}

/** One figure of the gauge of jobs. */
export interface UnfinishedOfModel {
  readonly modelId: string;
  readonly state: 'available' | 'running';
  readonly jobs: number;
}

/** Jobs that are not final, by model and state. */
export async function countUnfinishedByModel(db: Statements): Promise<readonly UnfinishedOfModel[]> {
  const rows = await db.read(
    // Two searches of an index; one over both states would read the whole table.
    `SELECT model_id, state, count(*) AS jobs FROM jobs WHERE state = 'available' GROUP BY model_id, state
     UNION ALL SELECT model_id, state, count(*) FROM jobs WHERE state = 'running' GROUP BY model_id, state`,
  );
  return rows.map(row => ({
    modelId: text(row, 'model_id'),
    state: oneOf(row, 'state', ['available', 'running']),
    jobs: integer(row, 'jobs'),
  }));
}
