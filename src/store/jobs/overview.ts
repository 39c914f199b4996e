/** Figures of the console's first page: the queue, failures of the last hour, accounts. */
import { hours } from '../../domain/clock.ts';
import type { Statements } from '../db/connection.ts';
import { integer, integerOrNull, text } from '../db/rows.ts';
import { countWaiting } from './count.ts';

/** Available jobs are counted up to here; beyond, the count is a lower bound. */
export const maxCountedWaiting = 10_000;
/** Maximum number of failures of the last hour that are grouped. */
const maxCountedFailures = 2_000;

/** The present state of the queue, at a cost that does not grow with its length. */
export interface Overview {
  readonly waiting: number;
  readonly running: number;
  /** Epoch ms: creation of the oldest available job, among those with the earliest deadlines. */
  readonly waitingSince: number | null;
  readonly completedInHour: number;
  readonly failures: readonly FailureGroup[];
  readonly uncertainSubmissions: number;
  readonly failedDeliveries: number;
  readonly keys: number;
}

/** Failed jobs of the last hour with the same model and error. */
export interface FailureGroup {
  readonly modelId: string;
  readonly code: string;
  readonly message: string;
  readonly jobs: number;
  /** The newest of them. */
  readonly jobId: string;
}

/** `now` in epoch ms. */
export async function readOverview(db: Statements, now: number): Promise<Overview> {
  const since = now - hours;
  const count = async (from: string, values: readonly number[] = []) => {
    const [row] = await db.read(
      `SELECT count(*) AS counted FROM (SELECT 1 FROM ${from}) AS counted_rows`,
      values,
    );
    return row ? integer(row, 'counted') : 0;
  };
  const [oldest] = await db.read(
    `SELECT MIN(created_at) AS oldest FROM
       (SELECT created_at FROM jobs WHERE state = 'available' ORDER BY expires_at LIMIT 100) AS first_in_line`,
  );
  return {
    waiting: await countWaiting(db, maxCountedWaiting + 1),
    running: await count(`jobs WHERE state = 'running'`),
    waitingSince: oldest ? integerOrNull(oldest, 'oldest') : null,
    completedInHour: await count(
      `jobs WHERE completed_at IS NOT NULL AND completed_at >= $1 AND state = 'completed' LIMIT ${maxCountedWaiting}`,
      [since],
    ),
    failures: await groupFailures(db, since),
    uncertainSubmissions: await count(
      'attempts WHERE doubted_at IS NOT NULL AND doubt_settled_at IS NULL LIMIT 1000',
    ),
    failedDeliveries: await count(`deliveries WHERE state = 'failed' AND ended_at >= $1 LIMIT 1000`, [
      now - 24 * hours,
    ]),
    keys: await count('keys WHERE revoked_at IS NULL LIMIT 1000'),
  };
}

/** Largest groups first, at most twelve. */
async function groupFailures(db: Statements, since: number): Promise<readonly FailureGroup[]> {
  const rows = await db.read(
    `SELECT id, model_id, error FROM jobs WHERE completed_at IS NOT NULL AND completed_at >= $1 AND state = 'failed'
     ORDER BY completed_at DESC LIMIT ${maxCountedFailures}`,
    [since],
  );
  const groups = new Map<string, FailureGroup>();
  for (const row of rows) {
    // Written by `settle` alone, from a typed value.
    const { code, message }: { code: string; message: string } = JSON.parse(text(row, 'error'));
    const modelId = text(row, 'model_id');
    const name = `${modelId} ${code} ${message}`;
    const before = groups.get(name) ?? { modelId, code, message, jobs: 0, jobId: text(row, 'id') };
    groups.set(name, { ...before, jobs: before.jobs + 1 });
  }
  return [...groups.values()].toSorted((a, b) => b.jobs - a.jobs).slice(0, 12);
}

/** Ids of the newest completed jobs. */
export async function listNewestResults(db: Statements, limit: number): Promise<readonly string[]> {
  const rows = await db.read(
    `SELECT id FROM jobs WHERE completed_at IS NOT NULL AND state = 'completed' ORDER BY completed_at DESC LIMIT $1`,
    [limit],
  );
  return rows.map(row => text(row, 'id'));
}
