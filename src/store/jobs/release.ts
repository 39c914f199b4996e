/** Requeues jobs of a worker that stops, many in one transaction. */
import type { Lease } from '../../domain/job.ts';
import type { Connection, Statements } from '../db/connection.ts';
import { text } from '../db/rows.ts';
import { stateWithoutIndex } from './claim.ts';
import { insertEvents, requeuedEvent } from './events.ts';
import { requeueAssignments } from './settle.ts';

/**
 * Does what `settle` does for one interrupted job, for many and with the same guard. Returns the ids of the jobs whose
 * lease was still valid.
 */
export function releaseJobs(
  db: Connection,
  leases: readonly Lease[],
  now: number,
): Promise<ReadonlySet<string>> {
  const byClaim = Map.groupBy(leases, ({ holder, claim }) => `${holder} ${claim}`);
  return db.transaction(async tx => {
    const released: string[] = [];
    for (const group of byClaim.values()) released.push(...(await releaseGroup(tx, group, now)));
    await insertEvents(tx, released, requeuedEvent(now));
    return new Set(released);
  });
}

/** All leases of one group have the same worker and claim number, so one statement checks them. */
async function releaseGroup(
  tx: Statements,
  leases: readonly Lease[],
  now: number,
): Promise<readonly string[]> {
  const [first] = leases;
  if (!first) return [];
  const places = leases.map((_, index) => `$${index + 4}`).join(', ');
  const rows = await tx.write(
    `UPDATE jobs SET ${requeueAssignments}, due_at = $3
     WHERE id IN (${places}) AND holder || '' = $1 AND claim = $2 AND ${stateWithoutIndex('running')} RETURNING id`,
    [first.holder, first.claim, now, ...leases.map(lease => lease.jobId)],
  );
  return rows.map(row => text(row, 'id'));
}
