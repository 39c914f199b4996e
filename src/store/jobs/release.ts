import type { Lease } from '../../domain/job.ts';
import type { Connection, Statements } from '../db/connection.ts';
import { text } from '../db/rows.ts';
import { insertEvents, requeueAssignments, requeuedEvent, stateWithoutIndex } from './claim.ts';

/**
 * What `settle` does for one job of a worker that stops, for many in one transaction and under the same guard.
 * Gives the ids of those that were still held.
 */
export function releaseJobs(
  db: Connection,
  holds: readonly Lease[],
  now: number,
): Promise<ReadonlySet<string>> {
  const byRight = Map.groupBy(holds, ({ holder, claim }) => `${holder} ${claim}`);
  return db.transaction(async tx => {
    const back: string[] = [];
    for (const alike of byRight.values()) back.push(...(await releaseGroup(tx, alike, now)));
    await insertEvents(tx, back, requeuedEvent(now));
    return new Set(back);
  });
}

async function releaseGroup(
  tx: Statements,
  holds: readonly Lease[],
  now: number,
): Promise<readonly string[]> {
  const [first] = holds;
  if (!first) return [];
  const places = holds.map((_, index) => `$${index + 4}`).join(', ');
  const rows = await tx.write(
    `UPDATE jobs SET ${requeueAssignments}, due_at = $3
     WHERE id IN (${places}) AND holder || '' = $1 AND claim = $2 AND ${stateWithoutIndex('running')} RETURNING id`,
    [first.holder, first.claim, now, ...holds.map(hold => hold.jobId)],
  );
  return rows.map(row => text(row, 'id'));
}
