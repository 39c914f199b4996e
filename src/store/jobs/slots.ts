/** Slots and rates of provider accounts, counted over all processes inside the claiming transaction. */
import type { Connection, Statements } from '../db/connection.ts';
import { integer } from '../db/rows.ts';
import { type Actor, writeAudit } from '../people/audit.ts';

/** Limits of an account, over all processes. */
export interface AccountLimits {
  readonly id: string;
  /** Maximum number of jobs at once. */
  readonly slots: number;
  readonly rate: { readonly perSecond: number; readonly burst: number } | null;
}

/** SQL: the number of running jobs of the same key. */
export const runningOfKeySql = `(SELECT count(*) FROM jobs AS own WHERE own.key_id = jobs.key_id AND own.state = 'running')`;

/**
 * How many jobs may be claimed for an account now, at most `wanted`, inside the claiming transaction. The account's row
 * is locked until the claim is committed, and slots are derived from running jobs, so no crash loses a slot or grants
 * it twice.
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
  const [used] = await tx.read(
    `SELECT count(*) AS running FROM jobs WHERE account = $1 AND state = 'running'`,
    [id],
  );
  const free = Math.max(0, Math.min(wanted, slots - (used ? integer(used, 'running') : 0)));
  if (rate === null || free === 0) return free;
  const spacingMs = 1000 / rate.perSecond;
  const emptyAt = Math.max(now, integer(account, 'empty_at'));
  return Math.max(0, Math.min(free, Math.floor((now + rate.burst * spacingMs - emptyAt) / spacingMs)));
}

/** Charges the jobs that were actually claimed to the account's rate. */
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

/** Serialises claims until the transaction ends, where running jobs of a key are counted. */
export async function lockClaims(tx: Statements): Promise<void> {
  await tx.write(
    `INSERT INTO accounts (id) VALUES ('#claims') ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING id`,
  );
}

/** Opens the circuit of an account until then (epoch ms); never shortens an earlier, longer block. */
export async function blockAccount(db: Statements, id: string, until: number, why: string): Promise<void> {
  await db.write(
    `INSERT INTO accounts (id, blocked_until, blocked_why) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET blocked_until = excluded.blocked_until, blocked_why = excluded.blocked_why
     WHERE accounts.blocked_until < excluded.blocked_until`,
    [id, until, why],
  );
}

/** A paused account starts no new jobs; its in-flight jobs continue. */
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
