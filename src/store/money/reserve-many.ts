/** Reserving the amounts of many jobs at once: their accounts locked in one statement, the balances written in one. */
import type { Micros } from '../../domain/money.ts';
import type { Connection, Statements } from '../db/connection.ts';
import { accountColumns, accountFromRow, accountId, type MoneyAccount, monthOf } from './accounts.ts';
import { alertColumns, raiseAlert } from './alerts.ts';
import { type NewHold, ownersOf, type Payer } from './holds.ts';

/** A job as far as its accounts depend on it. */
export interface PaidJob {
  readonly payer: Payer;
  /** As JSON text; null: none. */
  readonly tags: string | null;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** The accounts that a job may be paid by: those of its owners, and those of the month. */
export const candidatesOf = ({ payer, tags, createdAt }: PaidJob): readonly string[] =>
  ownersOf(payer, tags).flatMap(owner => [accountId(owner), accountId(owner, monthOf(createdAt))]);

/** Those of the accounts that exist, by id. Locked in the order in which every other transaction locks them. */
export async function lockAccounts(
  tx: Statements,
  dialect: Connection['dialect'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, MoneyAccount>> {
  // SQLite has one writer, which this transaction is.
  const [list, suffix] =
    dialect === 'sqlite'
      ? ['SELECT value FROM json_each($1)', '']
      : [
          'SELECT value FROM json_array_elements_text(CAST($1 AS JSON))',
          `ORDER BY CASE kind WHEN 'project' THEN 0 ELSE 1 END, id COLLATE "C" FOR NO KEY UPDATE`,
        ];
  const rows = await tx.read(`SELECT ${accountColumns} FROM money_accounts WHERE id IN (${list}) ${suffix}`, [
    JSON.stringify(ids),
  ]);
  return new Map(rows.map(accountFromRow).map(account => [account.id, account]));
}

/** The path of a job among the locked accounts; null where a month has to be opened first. */
export function pathIn(
  accounts: ReadonlyMap<string, MoneyAccount>,
  { payer, tags, createdAt }: PaidJob,
): readonly string[] | null {
  const path: string[] = [];
  for (const owner of ownersOf(payer, tags)) {
    const account = accounts.get(accountId(owner));
    if (!account) continue;
    path.push(account.id);
    if (account.monthLimit === null) continue;
    const month = accountId(owner, monthOf(createdAt));
    if (!accounts.has(month)) return null;
    path.push(month);
  }
  return path;
}

/** Adds the amounts to the balances of locked accounts that have room for them. */
export async function addToHeld(
  tx: Statements,
  dialect: Connection['dialect'],
  holds: readonly NewHold[],
): Promise<void> {
  const sums = new Map<string, Micros>();
  for (const { path, quote } of holds)
    for (const id of path) sums.set(id, (sums.get(id) ?? 0) + quote.amount);
  if (sums.size === 0) return;
  if (dialect === 'sqlite') {
    for (const [id, amount] of sums) {
      const [row] = await tx.write(
        `UPDATE money_accounts SET held = held + $2 WHERE id = $1 RETURNING ${alertColumns}`,
        [id, amount],
      );
      if (row) await raiseAlert(tx, row);
    }
    return;
  }
  const rows = await tx.write(
    `UPDATE money_accounts SET held = held + fresh.amount
     FROM json_to_recordset(CAST($1 AS JSON)) AS fresh(account TEXT, amount BIGINT)
     WHERE id = fresh.account RETURNING ${alertColumns}`,
    [JSON.stringify([...sums].map(([account, amount]) => ({ account, amount })))],
  );
  for (const row of rows) await raiseAlert(tx, row);
}
