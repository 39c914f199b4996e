/** Projects, and the budgets of projects, keys and tags: creation, limits and top-ups, each an entry of the journal and of the audit. */
import { newProjectId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/money.ts';
import type { Connection, Row, Statements } from '../db/connection.ts';
import { integer, text } from '../db/rows.ts';
import { type Actor, writeAudit } from '../people/audit.ts';
import {
  accountId,
  ensureAccount,
  lockAccount,
  type MoneyAccount,
  monthOf,
  openPath,
  readAccount,
} from './accounts.ts';
import { appendEntry, isEntryKnown } from './entries.ts';
import type { AccountOwner } from './owners.ts';

/** Owns keys and pays for their jobs. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** A budget as it is set. */
export interface BudgetLimit {
  /** Null: no limit. */
  readonly limit: Micros | null;
  /** Whether it is one of each calendar month of UTC. */
  readonly monthly: boolean;
}

/** Who changes money, and when. */
export interface MoneyChange {
  readonly actor: Actor;
  /** Epoch ms. */
  readonly now: number;
}

/** Null when the name is taken. */
export function createProject(
  db: Connection,
  { name, floor, ...budget }: BudgetLimit & { readonly name: string; readonly floor: Micros },
  { actor, now }: MoneyChange,
): Promise<Project | null> {
  const id = newProjectId();
  return db.transaction(async tx => {
    const [created] = await tx.write(
      'INSERT INTO projects (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
      [id, name, now],
    );
    if (!created) return null;
    const owner = { kind: 'project', id } as const;
    await ensureAccount(tx, owner);
    await tx.write('UPDATE money_accounts SET floor_micros = $2 WHERE id = $1', [accountId(owner), floor]);
    await writeLimit(tx, owner, budget, { actor, now });
    const details = { name, limit: budget.limit, monthly: budget.monthly, floor };
    await writeAudit(tx, { at: now, actor, action: 'project.create', subject: id, details });
    return { id, name, createdAt: now };
  });
}

const projectFromRow = (row: Row): Project => ({
  id: text(row, 'id'),
  name: text(row, 'name'),
  createdAt: integer(row, 'created_at'),
});

/** Null when there is none of that name. */
export async function findProject(db: Statements, name: string): Promise<Project | null> {
  const [row] = await db.read('SELECT id, name, created_at FROM projects WHERE name = $1', [name]);
  return row ? projectFromRow(row) : null;
}

const maxListed = 10_000;

/** By name. */
export async function listProjects(db: Statements): Promise<readonly Project[]> {
  const rows = await db.read(`SELECT id, name, created_at FROM projects ORDER BY name LIMIT ${maxListed}`);
  return rows.map(projectFromRow);
}

/** Ids of the tags that have an account, in their order. */
export async function listTagBudgets(db: Statements): Promise<readonly string[]> {
  const rows = await db.read(
    `SELECT owner FROM money_accounts WHERE kind = 'tag' AND period IS NULL ORDER BY owner LIMIT ${maxListed}`,
  );
  return rows.map(row => text(row, 'owner'));
}

/** Sets the limit of a project, key or tag from now on. What was spent and is held stays. */
export function setLimit(
  db: Connection,
  owner: AccountOwner,
  budget: BudgetLimit,
  change: MoneyChange,
): Promise<void> {
  return db.transaction(async tx => {
    await writeLimit(tx, owner, budget, change);
    await writeAudit(tx, {
      at: change.now,
      actor: change.actor,
      action: 'money.limit',
      subject: accountId(owner),
      details: { limit: budget.limit, monthly: budget.monthly },
    });
  });
}

/** The journal shows each change as the difference to the limit before it. */
export async function writeLimit(
  tx: Statements,
  owner: AccountOwner,
  { limit, monthly }: BudgetLimit,
  change: MoneyChange,
): Promise<void> {
  await ensureAccount(tx, owner);
  const id = accountId(owner);
  await changeLimit(tx, id, monthly ? null : limit, change);
  await tx.write('UPDATE money_accounts SET month_limit = $2 WHERE id = $1', [id, monthly ? limit : null]);
  const month = accountId(owner, monthOf(change.now));
  if (await readAccount(tx, month)) await changeLimit(tx, month, monthly ? limit : null, change);
}

async function changeLimit(
  tx: Statements,
  id: string,
  limit: Micros | null,
  { actor, now }: MoneyChange,
): Promise<void> {
  const before = await lockAccount(tx, id);
  const amount = (limit ?? 0) - (before?.limit ?? 0);
  if (amount !== 0) await appendEntry(tx, id, { at: now, kind: 'limit', amount, actor });
  // The entry leaves 0, or the limit itself.
  await tx.write('UPDATE money_accounts SET limit_micros = $2, alerted = 0, notified = 0 WHERE id = $1', [
    id,
    limit,
  ]);
}

/** What an operator gives or corrects by hand. */
export interface ManualEntry {
  readonly kind: 'top_up' | 'adjustment';
  /** `top_up`: added to the limit. `adjustment`: added to what was spent, negative: a credit. */
  readonly amount: Micros;
  readonly reason: string;
  /** The same key for the same owner is an entry once. */
  readonly idempotencyKey: string;
}

/** `repeated`: the key was used before, and nothing was changed. `unlimited`: what has no limit cannot be topped up. */
export type Posted = PostedToAccount | { readonly kind: 'unlimited' } | { readonly kind: 'unknown' };

/** With the account as it is now. */
interface PostedToAccount {
  readonly kind: 'posted' | 'repeated';
  readonly account: MoneyAccount;
}

/** Appends an operator's entry to the account of an owner; to that of this month where its limit is a monthly one. */
export function postEntry(
  db: Connection,
  owner: AccountOwner,
  entry: ManualEntry,
  { actor, now }: MoneyChange,
): Promise<Posted> {
  return db.transaction(async tx => {
    const account = await lockSpendingAccount(tx, owner, now);
    if (!account) return { kind: 'unknown' };
    if (await isEntryKnown(tx, account, entry.idempotencyKey)) return { kind: 'repeated', account };
    if (entry.kind === 'top_up' && account.limit === null) return { kind: 'unlimited' };
    await appendEntry(tx, account.id, { ...entry, at: now, actor });
    const { amount, reason } = entry;
    await writeAudit(tx, {
      at: now,
      actor,
      action: entry.kind === 'top_up' ? 'money.top_up' : 'money.adjustment',
      subject: account.id,
      details: { amount, reason },
    });
    return { kind: 'posted', account: (await readAccount(tx, account.id)) ?? account };
  });
}

async function lockSpendingAccount(
  tx: Statements,
  owner: AccountOwner,
  now: number,
): Promise<MoneyAccount | null> {
  // The same key may be used at once for two months: the owner's own account serialises them.
  await lockAccount(tx, accountId(owner));
  const [id = null] = (await openPath(tx, [owner], now)).toReversed();
  return id === null ? null : lockAccount(tx, id);
}
