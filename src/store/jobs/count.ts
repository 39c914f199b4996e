import type { KeyId } from '../../domain/ids.ts';
import type { Statements } from '../db/connection.ts';
import { integer } from '../db/rows.ts';

/** Jobs of a key that wait, counted up to a bound. */
export async function countWaitingOfKey(db: Statements, keyId: KeyId, upTo: number): Promise<number> {
  const [row] = await db.read(
    `SELECT count(*) AS waiting FROM (SELECT 1 FROM jobs WHERE key_id = $1 AND state = 'available' LIMIT $2) AS counted`,
    [keyId, upTo],
  );
  return integer(row!, 'waiting');
}

/** Jobs of a key that wait or run, counted up to a bound. */
export async function countUnfinishedOfKey(db: Statements, keyId: KeyId, upTo: number): Promise<number> {
  const [row] = await db.read(
    `SELECT count(*) AS unfinished FROM (
       SELECT 1 FROM (SELECT id FROM jobs WHERE key_id = $1 AND state = 'available' LIMIT $2) AS waiting
       UNION ALL SELECT 1 FROM (SELECT id FROM jobs WHERE key_id = $1 AND state = 'running' LIMIT $2) AS running) AS counted`,
    [keyId, upTo],
  );
  return integer(row!, 'unfinished');
}

/** Jobs that wait, counted up to a bound. */
export async function countWaiting(db: Statements, upTo: number): Promise<number> {
  const [row] = await db.read(
    `SELECT count(*) AS waiting FROM (SELECT 1 FROM jobs WHERE state = 'available' LIMIT $1) AS counted`,
    [upTo],
  );
  return integer(row!, 'waiting');
}
