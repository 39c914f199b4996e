/** Jobs that ended in the last 24 hours, by hour, and how long the completed ones ran. */
import { hours } from '../../domain/clock.ts';
import type { Statements } from '../db/connection.ts';
import { integer, integerOrNull } from '../db/rows.ts';

/** The newest of that time; older ones are not counted. */
const maxCountedRows = 50_000;
const maxTimedJobs = 5_000;

/** Jobs that ended within one hour. */
export interface HourOfJobs {
  /** Start of the hour, epoch ms. */
  readonly at: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Every hour from `since` to `now` has an entry, oldest first; `since` is the start of an hour. Both epoch ms. */
export async function countByHour(
  db: Statements,
  since: number,
  now: number,
): Promise<readonly HourOfJobs[]> {
  const state = (name: string) => `SUM(CASE WHEN state = '${name}' THEN 1 ELSE 0 END) AS ${name}`;
  const rows = await db.read(
    `SELECT completed_at / ${hours} AS hour, ${state('completed')}, ${state('failed')}, ${state('cancelled')}
     FROM (SELECT completed_at, state FROM jobs WHERE completed_at IS NOT NULL AND completed_at >= $1
       ORDER BY completed_at DESC LIMIT ${maxCountedRows}) AS ended
     GROUP BY completed_at / ${hours}`,
    [since],
  );
  const byHour = new Map(rows.map(row => [integer(row, 'hour') * hours, row]));
  return Array.from({ length: Math.floor((now - since) / hours) + 1 }, (_, index) => {
    const at = since + index * hours;
    const row = byHour.get(at);
    const count = (name: string) => (row ? integer(row, name) : 0);
    return { at, completed: count('completed'), failed: count('failed'), cancelled: count('cancelled') };
  });
}

/** Milliseconds from start to end that 95 of 100 completed jobs stayed within; null where none completed. */
export async function measureRunP95(db: Statements, since: number): Promise<number | null> {
  const rows = await db.read(
    `SELECT started_at, completed_at FROM jobs
     WHERE completed_at IS NOT NULL AND completed_at >= $1 AND state = 'completed'
     ORDER BY completed_at DESC LIMIT ${maxTimedJobs}`,
    [since],
  );
  const sorted = rows
    .map(row => {
      const end = integer(row, 'completed_at');
      return end - (integerOrNull(row, 'started_at') ?? end);
    })
    .toSorted((a, b) => a - b);
  // Nearest rank, as the usage report has it.
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? null;
}
