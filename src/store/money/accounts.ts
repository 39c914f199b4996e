/** Money accounts: the budget of a project, a key or a tag, and that of each month where its limit is a monthly one. */
import type { Micros } from '../../domain/money.ts';
import { accountKinds } from '../../domain/money-entry.ts';
import type { Row, Statements } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text, textOrNull } from '../db/rows.ts';
import { appendEntry } from './entries.ts';
import { type AccountOwner, nameFromRow } from './owners.ts';

/** The project of keys that were made without one. */
export const defaultProject = 'project_default';

/** A money account and its balance, in millionths of the currency. */
export interface MoneyAccount {
  readonly id: string;
  readonly kind: AccountOwner['kind'];
  readonly owner: string;
  /** Month of UTC such as `2026-12`; null: for ever. */
  readonly period: string | null;
  /** Null: no limit. */
  readonly limit: Micros | null;
  /** The limit of the account of each month; null: none. */
  readonly monthLimit: Micros | null;
  readonly floor: Micros;
  readonly posted: Micros;
  readonly held: Micros;
  readonly uncertain: Micros;
  /** Entries of its journal. */
  readonly entries: number;
}

export const accountColumns =
  'id, kind, owner, period, limit_micros, month_limit, floor_micros, posted, held, uncertain, entries';

/** For rows of `accountColumns`. */
export const accountFromRow = (row: Row): MoneyAccount => ({
  id: text(row, 'id'),
  kind: oneOf(row, 'kind', accountKinds),
  owner: text(row, 'owner'),
  period: textOrNull(row, 'period'),
  limit: integerOrNull(row, 'limit_micros'),
  monthLimit: integerOrNull(row, 'month_limit'),
  floor: integer(row, 'floor_micros'),
  posted: integer(row, 'posted'),
  held: integer(row, 'held'),
  uncertain: integer(row, 'uncertain'),
  entries: integer(row, 'entries'),
});

/** What may still be spent; null: without a limit. */
export const availableOf = ({ limit, posted, held, uncertain }: MoneyAccount): Micros | null =>
  limit === null ? null : limit - posted - held - uncertain;

export const accountId = ({ kind, id }: AccountOwner, period: string | null = null): string =>
  period === null ? `${kind}:${id}` : `${kind}:${id}:${period}`;

/** Month of UTC, such as `2026-12`. */
export function monthOf(now: number): string {
  const at = new Date(now);
  return `${at.getUTCFullYear()}-${String(at.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** Null when there is no such account. */
export async function readAccount(db: Statements, id: string): Promise<MoneyAccount | null> {
  const [row] = await db.read(`SELECT ${accountColumns} FROM money_accounts WHERE id = $1`, [id]);
  return row ? accountFromRow(row) : null;
}

/** Null also after it was locked: there is no such account. Serialises every write to the account. */
export async function lockAccount(tx: Statements, id: string): Promise<MoneyAccount | null> {
  const [row] = await tx.write(
    `UPDATE money_accounts SET entries = entries WHERE id = $1 RETURNING ${accountColumns}`,
    [id],
  );
  return row ? accountFromRow(row) : null;
}

/** Makes the account of an owner where it has none. */
export async function ensureAccount(tx: Statements, owner: AccountOwner): Promise<void> {
  await tx.write(
    'INSERT INTO money_accounts (id, kind, owner) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
    [accountId(owner), owner.kind, owner.id],
  );
}

/**
 * The accounts that a job of these owners is charged to now, in the order in which they are locked: each owner's own
 * and, where its limit is a monthly one, that of this month, which is opened by the first job.
 */
export async function openPath(
  tx: Statements,
  owners: readonly AccountOwner[],
  now: number,
): Promise<readonly string[]> {
  const path: string[] = [];
  for (const owner of owners) {
    const account = await readAccount(tx, accountId(owner));
    if (!account) continue;
    path.push(account.id);
    if (account.monthLimit === null) continue;
    const month = accountId(owner, monthOf(now));
    if ((await readAccount(tx, month)) || (await openMonth(tx, owner, now))) path.push(month);
  }
  return path;
}

/** False where the limit is no monthly one any more. */
async function openMonth(tx: Statements, owner: AccountOwner, now: number): Promise<boolean> {
  // Locked before: a limit that is set meanwhile would not find the account of the month, and it would keep the old one.
  const account = await lockAccount(tx, accountId(owner));
  if (!account || account.monthLimit === null) return false;
  const { monthLimit, floor } = account;
  const period = monthOf(now);
  const id = accountId(owner, period);
  const [opened] = await tx.write(
    `INSERT INTO money_accounts (id, kind, owner, period, limit_micros, floor_micros) VALUES ($1, $2, $3, $4, 0, $5)
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [id, owner.kind, owner.id, period, floor],
  );
  if (opened && monthLimit !== 0)
    await appendEntry(tx, id, { at: now, kind: 'limit', amount: monthLimit, actor: 'operator' });
  return true;
}

/** An account with the name of its owner. */
export interface ListedAccount extends MoneyAccount {
  readonly name: string;
}

/** By id, after that one; `after` is empty for the first page. */
export async function listAccounts(
  db: Statements,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly ListedAccount[]> {
  const columns = accountColumns.replaceAll(/\b(\w+)\b/g, 'money_accounts.$1');
  const rows = await db.read(
    `SELECT ${columns}, COALESCE(projects.name, keys.name, money_accounts.owner) AS name FROM money_accounts
       LEFT JOIN projects ON money_accounts.kind = 'project' AND projects.id = money_accounts.owner
       LEFT JOIN keys ON money_accounts.kind = 'key' AND keys.id = money_accounts.owner
     WHERE money_accounts.id > $1 ORDER BY money_accounts.id LIMIT $2`,
    [after, limit],
  );
  return rows.map(row => ({ ...accountFromRow(row), name: nameFromRow(row) }));
}
