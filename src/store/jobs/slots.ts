import type { Connection, Statements } from '../db/connection.ts';
import { integer } from '../db/rows.ts';
import { type Actor, writeAudit } from '../people/audit.ts';

/** What an account allows, over all processes together. */
export interface AccountLimits {
  readonly id: string;
  /** Jobs at once. */
  readonly slots: number;
  readonly rate: { readonly perSecond: number; readonly burst: number } | null;
}

/** The jobs of a job's own key that run now, counted. */
export const runningOfKeySql = `(SELECT count(*) FROM jobs AS own WHERE own.key_id = jobs.key_id AND own.state = 'running')`;

/**
 * How many jobs may be claimed for an account now, at most `wanted`, inside the claiming transaction.
 * The account's row is locked until the claim is committed, and slots are derived from live holds:
 * whatever crashes, none is lost and none is taken twice.
 */
export async function grantSlots(
  tx: Statements,
  { id, slots, rate }: AccountLimits,
  wanted: number,
  now: number,
): Promise<number> {
  const [account] = await tx.write(
    `INSERT INTO accounts (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET id = excluded.id
     RETURNING blocked_until, empty_at`,
    [id],
  );
  if (!account || integer(account, 'blocked_until') > now) return 0;
  const [held] = await tx.read(
    `SELECT count(*) AS running FROM jobs WHERE account = $1 AND state = 'running'`,
    [id],
  );
  const free = Math.max(0, Math.min(wanted, slots - (held ? integer(held, 'running') : 0)));
  if (rate === null || free === 0) return free;
  const spacingMs = 1000 / rate.perSecond;
  const emptyAt = Math.max(now, integer(account, 'empty_at'));
  return Math.max(0, Math.min(free, Math.floor((now + rate.burst * spacingMs - emptyAt) / spacingMs)));
}

/** Takes what was really claimed from the account's rate. */
export async function takeFromAccountRate(
  tx: Statements,
  { id, rate }: AccountLimits,
  claimed: number,
  now: number,
): Promise<void> {
  if (rate === null || claimed === 0) return;
  await tx.write(
    `UPDATE accounts SET empty_at = CASE WHEN empty_at > $2 THEN empty_at ELSE $2 END + $3 WHERE id = $1`,
    [id, now, Math.ceil((claimed * 1000) / rate.perSecond)],
  );
}

/** One claim at a time, where what runs of a key is counted; held until the transaction ends. */
export async function lockClaims(tx: Statements): Promise<void> {
  await tx.write(
    `INSERT INTO accounts (id) VALUES ('#claims') ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING id`,
  );
}

/** No more calls to an account until then; an earlier end never shortens a later one. */
export async function blockAccount(db: Statements, id: string, until: number, why: string): Promise<void> {
  await db.write(
    `INSERT INTO accounts (id, blocked_until, blocked_why) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET blocked_until = excluded.blocked_until, blocked_why = excluded.blocked_why
     WHERE accounts.blocked_until < excluded.blocked_until`,
    [id, until, why],
  );
}

/** Nothing new is begun at an account while it is paused; what is under way there goes on. */
export function pauseAccount(
  db: Connection,
  id: string,
  isPaused: boolean,
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Promise<void> {
  return db.transaction(async tx => {
    await tx.write(
      `INSERT INTO accounts (id, paused_at) VALUES ($1, $2)
       ON CONFLICT (id) DO UPDATE SET paused_at = excluded.paused_at`,
      [id, isPaused ? now : null],
    );
    const action = isPaused ? 'account.pause' : 'account.resume';
    await writeAudit(tx, { at: now, actor, action, subject: id, details: {} });
  });
}
