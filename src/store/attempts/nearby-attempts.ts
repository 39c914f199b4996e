/** Attempts of an account around the time of another, so that a call listed upstream is not taken for a known one. */
import { days, minutes } from '../../domain/clock.ts';
import { type JobId, uuidv7 } from '../../domain/ids.ts';
import { fromJson } from '../../domain/json.ts';
import type { Statements } from '../db/connection.ts';
import { textOrNull } from '../db/rows.ts';

/** An attempt of another job. */
export interface NearbyAttempt {
  /** The upstream's id of it; null where it has none, or none is known. */
  readonly upstreamId: string | null;
  /** Whether its outcome is unknown. */
  readonly isOpen: boolean;
}

/** A job waits so long at most before its first attempt, so older ones need not be read. */
const longestWaitMs = 7 * days;
/** Clocks differ by a minute at most, and a call takes one at most to arrive. */
const nearbyMs = 3 * minutes;

/** A range of the primary key: rare enough to need no index of its own. */
export async function readNearbyAttempts(
  db: Statements,
  {
    account,
    jobId,
    startedAt,
  }: { readonly account: string; readonly jobId: JobId; readonly startedAt: number },
): Promise<readonly NearbyAttempt[]> {
  const rows = await db.read(
    `SELECT ref, answer FROM attempts
     WHERE job_id >= $1 AND account = $2 AND job_id <> $3 AND started_at BETWEEN $4 AND $5`,
    [uuidv7(startedAt - longestWaitMs), account, jobId, startedAt - nearbyMs, startedAt + nearbyMs],
  );
  return rows.map(row => {
    const ref = textOrNull(row, 'ref');
    const answer = textOrNull(row, 'answer');
    return {
      upstreamId: ref === null ? null : idIn(fromJson(ref)),
      isOpen: answer === null || answer === 'unknown',
    };
  });
}

/** Every provider's ref has the upstream's id under this name, as an operator's resolution writes it. */
function idIn(ref: unknown): string | null {
  const id: unknown = typeof ref === 'object' && ref !== null ? Reflect.get(ref, 'id') : null;
  return typeof id === 'string' ? id : null;
}
