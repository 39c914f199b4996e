import type { Hold } from '../domain/job.ts';
import { backInLine, byIdAlone, handedBack, insertEvents } from './claims.ts';
import type { Connection, Statements } from './connection.ts';
import { text } from './rows.ts';

/**
 * What `settle` does for one job of a worker that stops, for many in one transaction and under the same guard.
 * Gives the ids of those that were still held.
 */
export function handBack(db: Connection, holds: readonly Hold[], now: number): Promise<ReadonlySet<string>> {
  const byRight = Map.groupBy(holds, ({ holder, claim }) => `${holder} ${claim}`);
  return db.transaction(async tx => {
    const back: string[] = [];
    for (const alike of byRight.values()) back.push(...(await giveUp(tx, alike, now)));
    await insertEvents(tx, back, handedBack(now));
    return new Set(back);
  });
}

async function giveUp(tx: Statements, holds: readonly Hold[], now: number): Promise<readonly string[]> {
  const [first] = holds;
  if (!first) return [];
  const places = holds.map((_, index) => `$${index + 4}`).join(', ');
  const rows = await tx.write(
    `UPDATE jobs SET ${backInLine}, due_at = $3
     WHERE id IN (${places}) AND holder || '' = $1 AND claim = $2 AND ${byIdAlone('running')} RETURNING id`,
    [first.holder, first.claim, now, ...holds.map(hold => hold.jobId)],
  );
  return rows.map(row => text(row, 'id'));
}
