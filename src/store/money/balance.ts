/** Balances: what a project or a key may spend, has spent, and what unfinished jobs hold of it. */
import { formatAmount, formatAmountOrNull, type Micros } from '../../domain/money.ts';
import type { Statements } from '../db/connection.ts';
import { accountId, availableOf, type MoneyAccount, monthOf, readAccount } from './accounts.ts';
import type { AccountOwner } from './owners.ts';

/** A balance in millionths of the currency. */
export interface AccountBalance {
  /** Null: no limit. */
  readonly limit: Micros | null;
  /** Whether limit and figures are those of the present month. */
  readonly monthly: boolean;
  readonly spent: Micros;
  readonly held: Micros;
  readonly uncertain: Micros;
  /** Null: no limit. */
  readonly available: Micros | null;
  readonly floor: Micros;
}

/** Null where the owner has no account. Of a monthly limit: what the present month has. */
export async function readBalance(
  db: Statements,
  owner: AccountOwner,
  now: number,
): Promise<AccountBalance | null> {
  const account = await readAccount(db, accountId(owner));
  if (!account) return null;
  if (account.monthLimit === null) return balanceOf(account, false);
  const month = await readAccount(db, accountId(owner, monthOf(now)));
  // Opened by the first job of the month.
  return balanceOf(
    month ?? { ...account, limit: account.monthLimit, posted: 0, held: 0, uncertain: 0 },
    true,
  );
}

const balanceOf = (account: MoneyAccount, monthly: boolean): AccountBalance => ({
  limit: account.limit,
  monthly,
  spent: account.posted,
  held: account.held,
  uncertain: account.uncertain,
  available: availableOf(account),
  floor: account.floor,
});

/** As clients see it, with decimal strings. */
export const balanceBody = (name: string, { limit, spent, held, uncertain, available }: AccountBalance) => ({
  name,
  limit: formatAmountOrNull(limit),
  spent: formatAmount(spent),
  held: formatAmount(held),
  uncertain: formatAmount(uncertain),
  available: formatAmountOrNull(available),
});
