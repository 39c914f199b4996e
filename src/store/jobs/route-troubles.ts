/** Routes that an upstream refuses for the operator's sake: since when, and with which answer. */
import type { Lease } from '../../domain/job.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { integer, text, textOrNull } from '../db/rows.ts';

/** A route: a model at an account. */
export interface RouteKey {
  readonly account: string;
  readonly modelId: string;
}

/** The refusals of a route in a row. */
export interface RouteTrouble extends RouteKey {
  /** The upstream's code; another one begins a new row of refusals. */
  readonly code: string;
  /** The last sentence. */
  readonly message: string;
  /** Epoch ms of the first and of the last answer. */
  readonly since: number;
  readonly seenAt: number;
}

/** Refusals further apart than this are not in a row: nothing is known of the time between them. */
export interface SeenTrouble extends RouteKey, Pick<RouteTrouble, 'code' | 'message'> {
  readonly now: number;
  readonly longestGapMs: number;
}

/** Records one refusal; returns the row of refusals that it belongs to. */
export async function recordRouteTrouble(db: Statements, seen: SeenTrouble): Promise<RouteTrouble> {
  const { account, modelId, code, message, now, longestGapMs } = seen;
  const [row] = await db.write(
    `INSERT INTO route_troubles (account, model_id, code, message, since, seen_at) VALUES ($1, $2, $3, $4, $5, $5)
     ON CONFLICT (account, model_id) DO UPDATE SET
       since = CASE WHEN route_troubles.code = excluded.code AND route_troubles.seen_at >= $6
         THEN route_troubles.since ELSE excluded.since END,
       code = excluded.code, message = excluded.message, seen_at = excluded.seen_at
     RETURNING account, model_id, code, message, since, seen_at`,
    [account, modelId, code, message, now, now - longestGapMs],
  );
  if (!row) throw new Error('expected the row that was written');
  return troubleFromRow(row);
}

/** Deletes the troubles of a route, which works again; of every route where the settings may have changed. */
export async function clearRouteTroubles(db: Statements, route?: RouteKey): Promise<void> {
  if (route)
    await db.write('DELETE FROM route_troubles WHERE account = $1 AND model_id = $2', [
      route.account,
      route.modelId,
    ]);
  else await db.write('DELETE FROM route_troubles', []);
}

/** Every route in trouble, for the operator. */
export async function readRouteTroubles(db: Statements): Promise<readonly RouteTrouble[]> {
  const rows = await db.read(
    'SELECT account, model_id, code, message, since, seen_at FROM route_troubles ORDER BY account, model_id',
  );
  return rows.map(troubleFromRow);
}

const troubleFromRow = (row: Row): RouteTrouble => ({
  account: text(row, 'account'),
  modelId: text(row, 'model_id'),
  code: text(row, 'code'),
  message: text(row, 'message'),
  since: integer(row, 'since'),
  seenAt: integer(row, 'seen_at'),
});

/**
 * Removes an account from those that may run the leased job; `routed` are the accounts that its model has now. False
 * where none is left, or the lease is lost: then nothing was changed.
 */
export function excludeAccount(
  db: Connection,
  { jobId, holder, claim }: Lease,
  account: string,
  routed: readonly string[],
): Promise<boolean> {
  return db.transaction(async tx => {
    const leased = `WHERE id = $1 AND holder = $2 AND claim = $3 AND state = 'running'`;
    const [row] = await tx.read(`SELECT accounts FROM jobs ${leased}`, [jobId, holder, claim]);
    if (!row) return false;
    const allowed = textOrNull(row, 'accounts')?.split(',') ?? routed;
    const rest = routed.filter(id => id !== account && allowed.includes(id));
    if (rest.length === 0) return false;
    await tx.write(`UPDATE jobs SET accounts = $4 ${leased}`, [jobId, holder, claim, `,${rest.join(',')},`]);
    return true;
  });
}
