import { type Clock, seconds } from '../domain/clock.ts';
import type { Statements } from './connection.ts';
import type { JobSummary } from './jobs.ts';
import { integer, integerOrNull } from './rows.ts';

/** Exact up to here by a counted range of the claim index; an estimate beyond. */
const exactUpTo = 1_000;
/** An estimate this far out is not counted again: no line gets that much shorter while its totals are fresh. */
const surelyBeyond = 4 * exactUpTo;
/** How old the totals behind an estimate may be. */
const totalsLifeMs = 3 * seconds;

interface Totals {
  readonly countedAt: number;
  readonly waiting: number;
  readonly lowestRank: number;
  readonly highestRank: number;
}

export interface Positions {
  /** Jobs of the same model that start before this one; 0 = next. */
  positionOf(job: Pick<JobSummary, 'id' | 'modelId' | 'band' | 'rank'>): Promise<number>;
}

/** Cheap at any depth: a million waiting jobs are never counted on the way of a request. */
export function openPositions(db: Statements, clock: Clock): Positions {
  const totals = new Map<string, Totals>();
  const counting = new Set<string>();

  async function countAgain(modelId: string, band: number, place: string): Promise<void> {
    if (counting.has(place)) return;
    counting.add(place);
    try {
      const [row] = await db.read(
        `SELECT count(*) AS waiting, min(rank) AS lowest, max(rank) AS highest FROM jobs
         WHERE model_id = $1 AND band = $2 AND state = 'available'`,
        [modelId, band],
      );
      totals.set(place, {
        countedAt: clock.now(),
        waiting: integer(row!, 'waiting'),
        lowestRank: integerOrNull(row!, 'lowest') ?? 0,
        highestRank: integerOrNull(row!, 'highest') ?? 0,
      });
    } finally {
      counting.delete(place);
    }
  }

  return {
    async positionOf({ id, modelId, band, rank }) {
      const place = `${modelId} ${band}`;
      const known = totals.get(place);
      const isFresh = known !== undefined && clock.now() - known.countedAt <= totalsLifeMs;
      const estimated = known ? Math.max(exactUpTo, estimate(known, rank)) : exactUpTo;
      if (isFresh && estimated >= surelyBeyond) return estimated;
      // The order keeps a plan made for any values on the claim index.
      const [row] = await db.read(
        `SELECT count(*) AS before FROM (SELECT 1 FROM jobs WHERE model_id = $1 AND state = 'available'
           AND (band, rank, id) < ($2, $3, $4) ORDER BY band, rank, id LIMIT ${exactUpTo}) AS counted`,
        [modelId, band, rank, id],
      );
      const before = integer(row!, 'before');
      if (before < exactUpTo) return before;
      // Only a hint for the next reader: a failure shows itself in the statements that matter.
      if (!isFresh) countAgain(modelId, band, place).catch(() => {});
      return estimated;
    },
  };
}

/** Places the rank between the lowest and the highest that wait. */
function estimate({ waiting, lowestRank, highestRank }: Totals, rank: number): number {
  const share = highestRank === lowestRank ? 1 : (rank - lowestRank) / (highestRank - lowestRank);
  return Math.round(waiting * Math.min(1, Math.max(0, share)));
}
