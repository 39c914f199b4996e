/** Whether the database answers, for readiness checks. */
import type { Statements } from './connection.ts';

/** Rejects with `StoreUnavailable` while the database cannot be read. */
export async function ping(db: Statements): Promise<void> {
  await db.read('SELECT 1 AS one');
}
