/** Completed jobs with their input and usage, to price them anew. */
import { fromJson } from '../../domain/json.ts';
import type { Micros } from '../../domain/money.ts';
import { type Usage, usageUnits } from '../../domain/usage.ts';
import type { Statements } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text } from '../db/rows.ts';

/** A job that completed. */
export interface CompletedJob {
  readonly id: string;
  readonly modelId: string;
  /** As its model parsed it. */
  readonly input: unknown;
  readonly usage: readonly Usage[];
  /** Epoch ms. */
  readonly completedAt: number;
  /** What it was charged; null where it had no hold, or its hold has not ended. */
  readonly charged: Micros | null;
}

/** Where a page begins: behind this job. */
export type PageEnd = Pick<CompletedJob, 'id' | 'completedAt'>;

/** The newest first, of those that completed in the time from `from` to `to` (exclusive, epoch ms). */
export async function listCompletedJobs(
  db: Statements,
  { from, to, after, limit }: { from: number; to: number; after: PageEnd | null; limit: number },
): Promise<readonly CompletedJob[]> {
  const rows = await db.read(
    `SELECT id, model_id, input, completed_at, (SELECT charged FROM money_holds WHERE job_id = jobs.id) AS charged
     FROM jobs WHERE completed_at IS NOT NULL AND completed_at >= $1 AND completed_at < $2 AND state = 'completed'
       AND (completed_at, id) < ($3, $4)
     ORDER BY completed_at DESC, id DESC LIMIT $5`,
    [from, to, after?.completedAt ?? to, after?.id ?? '', limit],
  );
  const usage = await readUsage(
    db,
    rows.map(row => text(row, 'id')),
  );
  return rows.map(row => ({
    id: text(row, 'id'),
    modelId: text(row, 'model_id'),
    input: fromJson(text(row, 'input')),
    usage: usage.get(text(row, 'id')) ?? [],
    completedAt: integer(row, 'completed_at'),
    charged: integerOrNull(row, 'charged'),
  }));
}

/** By job. */
async function readUsage(
  db: Statements,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Usage[]>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db.read(
    `SELECT job_id, unit, quantity, basis FROM usage_lines
     WHERE job_id IN (${jobIds.map((_, at) => `$${at + 1}`)}) ORDER BY job_id, line`,
    jobIds,
  );
  const byJob = Map.groupBy(rows, row => text(row, 'job_id'));
  return new Map(
    [...byJob].map(([id, own]) => [
      id,
      own.map(row => ({
        unit: oneOf(row, 'unit', usageUnits),
        quantity: Number(row.quantity),
        basis: oneOf(row, 'basis', ['reported', 'computed']),
      })),
    ]),
  );
}
