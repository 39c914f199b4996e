/** Ends the holds of many jobs at once: those that expired, were cancelled or crashed before anything was delivered. */
import { toJson } from '../../domain/json.ts';
import { costBody } from '../../domain/prices.ts';
import type { Row, Statements } from '../db/connection.ts';
import { inBatches } from '../db/in-batches.ts';
import { integer, text } from '../db/rows.ts';
import { accountsOfPath } from './holds.ts';
import { byBytes } from './owners.ts';

/**
 * Releases the open holds of jobs that became final. One whose submission is uncertain stays, shown apart, until an
 * operator resolves it. Call it after `markUncertain`. A few statements for any number of jobs: the accounts that every
 * creation of a project needs stay locked until the transaction ends.
 */
export async function releaseHolds(tx: Statements, jobIds: readonly string[], now: number): Promise<void> {
  const holds: Row[] = [];
  await inBatches(jobIds, async (ids, places) => {
    const rows = await tx.read(
      `SELECT job_id, path, amount, currency, CASE WHEN EXISTS (SELECT 1 FROM attempts
         WHERE attempts.job_id = money_holds.job_id AND doubted_at IS NOT NULL AND doubt_settled_at IS NULL)
         THEN 1 ELSE 0 END AS is_uncertain
       FROM money_holds WHERE state = 'open' AND job_id IN (${places(1)})`,
      ids,
    );
    holds.push(...rows);
  });
  const uncertain = holds.filter(row => integer(row, 'is_uncertain') === 1);
  const released = holds.filter(row => integer(row, 'is_uncertain') === 0);
  await freeAccounts(tx, holds);
  await inBatches(jobIdsOf(uncertain), async (ids, places) => {
    await tx.write(`UPDATE money_holds SET state = 'uncertain' WHERE job_id IN (${places(1)})`, ids);
  });
  for (const [currency, own] of Map.groupBy(released, row => text(row, 'currency')))
    await inBatches(jobIdsOf(own), (ids, places) => markReleased(tx, { ids, places, currency, now }));
}

/** Subtracts what the holds took; what is uncertain is moved. In the order in which creations lock the accounts. */
async function freeAccounts(tx: Statements, holds: readonly Row[]): Promise<void> {
  const sums = new Map<string, { held: number; uncertain: number }>();
  for (const hold of holds) {
    for (const account of accountsOfPath(text(hold, 'path'))) {
      const sum = sums.get(account) ?? { held: 0, uncertain: 0 };
      sum.held += integer(hold, 'amount');
      if (integer(hold, 'is_uncertain') === 1) sum.uncertain += integer(hold, 'amount');
      sums.set(account, sum);
    }
  }
  for (const account of [...sums.keys()].toSorted(byLockOrder)) {
    const { held, uncertain } = sums.get(account)!;
    await tx.write('UPDATE money_accounts SET held = held - $2, uncertain = uncertain + $3 WHERE id = $1', [
      account,
      held,
      uncertain,
    ]);
  }
}

/** Projects before keys and tags; the account of a project before those of its months. */
const byLockOrder = (a: string, b: string): number =>
  Number(b.startsWith('project:')) - Number(a.startsWith('project:')) || byBytes(a, b);

/** Jobs of one statement. */
interface ReleasedJobs {
  readonly ids: readonly string[];
  readonly places: (from: number) => string;
  readonly currency: string;
  readonly now: number;
}

async function markReleased(tx: Statements, { ids, places, currency, now }: ReleasedJobs): Promise<void> {
  await tx.write(
    `UPDATE money_holds SET state = 'released', ended_at = $1, charged = 0,
       cost = CASE WHEN costs IS NULL THEN NULL ELSE 0 END,
       account = (SELECT account FROM jobs WHERE jobs.id = money_holds.job_id) WHERE job_id IN (${places(2)})`,
    [now, ...ids],
  );
  const nothing = toJson(costBody({ amount: 0, currency, lines: [] }));
  await tx.write(`UPDATE jobs SET cost = $1 WHERE id IN (${places(2)})`, [nothing, ...ids]);
}

const jobIdsOf = (rows: readonly Row[]): readonly string[] => rows.map(row => text(row, 'job_id'));
