/** The position of an available job in its queue: exact near the head, estimated beyond. */
import { type Clock, seconds } from '../../domain/clock.ts';
import { batch } from '../db/batch.ts';
import type { Connection } from '../db/connection.ts';
import { integer, integerOrNull } from '../db/rows.ts';
import { countAheadSql, maxExactPosition } from './count-ahead.ts';
import type { JobSummary } from './read.ts';

/** Maximum age of the totals behind an estimate. */
const totalsMaxAgeMs = 3 * seconds;

/** A count of one model and priority; ranks are those of the first and the last waiting job. */
interface QueueTotals {
  readonly countedAt: number;
  readonly waiting: number;
  readonly lowestRank: number;
  readonly highestRank: number;
}

/** What a position is counted by. */
type QueuedJob = Pick<JobSummary, 'id' | 'modelId' | 'priority' | 'rank'>;

/** Caches totals per model and priority. */
export interface QueuePositions {
  /** Jobs of the same model that start before this one; 0 = next. */
  positionOf(job: QueuedJob): Promise<number>;
  /** The same where the jobs ahead were counted already, up to one more than the bound: see `countAheadSql`. */
  positionAt(job: QueuedJob, ahead: number): number;
}

/** Cheap at any depth: no request ever counts a million waiting jobs. */
export function openQueuePositions(db: Connection, clock: Clock): QueuePositions {
  const totals = new Map<string, QueueTotals>();
  const counting = new Set<string>();

  async function refreshTotals(modelId: string, priority: number, queue: string): Promise<void> {
    if (counting.has(queue)) return;
    counting.add(queue);
    try {
      const [row] = await db.read(
        `SELECT count(*) AS waiting, min(rank) AS lowest, max(rank) AS highest FROM jobs
         WHERE model_id = $1 AND band = $2 AND state = 'available'`,
        [modelId, priority],
      );
      totals.set(queue, {
        countedAt: clock.now(),
        waiting: integer(row!, 'waiting'),
        lowestRank: integerOrNull(row!, 'lowest') ?? 0,
        highestRank: integerOrNull(row!, 'highest') ?? 0,
      });
    } finally {
      counting.delete(queue);
    }
  }

  function positionAt({ modelId, priority, rank }: QueuedJob, ahead: number): number {
    // Counted also while the totals are fresh: ranks are not spread evenly, and an estimate may be far off.
    if (ahead <= maxExactPosition) return ahead;
    const queue = `${modelId} ${priority}`;
    const known = totals.get(queue);
    const isFresh = known !== undefined && clock.now() - known.countedAt <= totalsMaxAgeMs;
    // For the next reader only: an unavailable database fails the statements that matter, too.
    if (!isFresh) refreshTotals(modelId, priority, queue).catch(() => {});
    return known ? Math.max(maxExactPosition, estimatePosition(known, rank)) : maxExactPosition;
  }

  return { positionAt, positionOf: async job => positionAt(job, await countAhead(db, job)) };
}

/** One place, by parameters. */
const selectAhead = `SELECT ${countAheadSql({ modelId: '$1', priority: '$2', rank: '$3', id: '$4' })} AS found`;
/** Many places, by a JSON array; its member names keep their case only in quotes. */
const ofWanted = {
  modelId: 'wanted."modelId"',
  priority: 'wanted.priority',
  rank: 'wanted.rank',
  id: 'wanted.id',
};
const selectAheadOfMany = `SELECT nth, ${countAheadSql(ofWanted)} AS found
  FROM json_to_recordset(CAST($1 AS JSON))
    AS wanted(nth INTEGER, "modelId" TEXT, priority INTEGER, rank BIGINT, id TEXT)`;

/** Exact up to the bound. On PostgreSQL concurrent calls share one statement. */
async function countAhead(db: Connection, place: QueuedJob): Promise<number> {
  if (db.dialect === 'postgres') return countAheadBatched(db, place);
  const { modelId, priority, rank, id } = place;
  const [row] = await db.read(selectAhead, [modelId, priority, rank, id]);
  return integer(row!, 'found');
}

/** `nth` is the position of a place in the call: rows come in any order. */
const countAheadBatched = batch(
  async (db, places: readonly QueuedJob[]) => {
    const wanted = places.map(({ modelId, priority, rank, id }, nth) => ({
      nth,
      modelId,
      priority,
      rank,
      id,
    }));
    const rows = await db.read(selectAheadOfMany, [JSON.stringify(wanted)]);
    const found = new Map(rows.map(row => [integer(row, 'nth'), integer(row, 'found')]));
    return places.map((_, nth) => found.get(nth) ?? 0);
  },
  { maxSize: 64, maxConcurrent: 2 },
);

/** Interpolates the rank between the lowest and the highest available one. */
function estimatePosition({ waiting, lowestRank, highestRank }: QueueTotals, rank: number): number {
  const share = highestRank === lowestRank ? 1 : (rank - lowestRank) / (highestRank - lowestRank);
  return Math.round(waiting * Math.min(1, Math.max(0, share)));
}
