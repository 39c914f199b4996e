/** Inserts many jobs that reserve their amounts, in one transaction: each account is locked once for all of them. */
import type { Micros } from '../../domain/money.ts';
import type { Quote } from '../../domain/prices.ts';
import type { Connection, Statements } from '../db/connection.ts';
import { availableOf, type MoneyAccount } from '../money/accounts.ts';
import { type BudgetExceeded, insertHolds, nameOf, type Payer } from '../money/holds.ts';
import { addToHeld, candidatesOf, lockAccounts, type PaidJob, pathIn } from '../money/reserve-many.ts';
import { type Inserted, insertRows, type NewJob } from './insert-rows.ts';

/** A creation that has a price and no other limit. */
export interface HeldCreation {
  readonly job: NewJob;
  readonly payer: Payer;
  readonly quote: Quote;
}

/**
 * Null: another row conflicts. `undecided`: nothing was inserted, and the creation has to be repeated alone, because it
 * opens a month, or fits only where another of the same batch does not.
 */
export type HeldInsertion = Inserted | BudgetExceeded | 'undecided' | null;

/** What the balances at the beginning of the transaction say about a creation. */
type Plan =
  | { readonly kind: 'fits'; readonly path: readonly string[] }
  | { readonly kind: 'undecided' }
  | { readonly kind: 'exceeded'; readonly account: MoneyAccount; readonly available: Micros };

/** In the order of the creations, in one transaction. */
export async function insertHeldJobs(
  tx: Statements,
  creations: readonly HeldCreation[],
  dialect: Connection['dialect'],
): Promise<readonly HeldInsertion[]> {
  const ids = creations.flatMap(creation => candidatesOf(paidJobOf(creation)));
  const accounts = await lockAccounts(tx, dialect, [...new Set(ids)]);
  const taken = new Map<string, Micros>();
  const plans = creations.map(creation => planOf(accounts, taken, creation));
  const fitting = creations.flatMap((creation, at) => {
    const plan = plans[at]!;
    return plan.kind === 'fits' ? [{ ...creation, path: plan.path }] : [];
  });
  const rows = await insertRows(
    tx,
    dialect,
    fitting.map(({ job }) => job),
  );
  const held = fitting.filter((_, at) => rows[at] !== null);
  await addToHeld(tx, dialect, held);
  await insertHolds(tx, dialect, held);
  const made = new Map(fitting.map(({ job }, at) => [job.id, rows[at] ?? null]));
  const insertions: HeldInsertion[] = [];
  for (const [at, { job, quote }] of creations.entries()) {
    const plan = plans[at]!;
    if (plan.kind === 'exceeded')
      insertions.push({
        kind: 'budget_exceeded',
        account: await nameOf(tx, plan.account),
        available: plan.available,
        amount: quote.amount,
        currency: quote.currency,
      });
    else insertions.push(plan.kind === 'undecided' ? 'undecided' : (made.get(job.id) ?? null));
  }
  return insertions;
}

const paidJobOf = ({ payer, job }: HeldCreation): PaidJob => ({
  payer,
  tags: job.tags ?? null,
  createdAt: job.createdAt,
});

/** Adds the amount to `taken` where it fits. */
function planOf(
  accounts: ReadonlyMap<string, MoneyAccount>,
  taken: Map<string, Micros>,
  creation: HeldCreation,
): Plan {
  const { quote } = creation;
  const path = pathIn(accounts, paidJobOf(creation));
  if (path === null) return { kind: 'undecided' };
  let isShort = false;
  for (const id of path) {
    const account = accounts.get(id)!;
    const available = availableOf(account);
    if (available === null) continue;
    if (quote.amount > available) return { kind: 'exceeded', account, available };
    if (quote.amount > available - (taken.get(id) ?? 0)) isShort = true;
  }
  if (isShort) return { kind: 'undecided' };
  for (const id of path) taken.set(id, (taken.get(id) ?? 0) + quote.amount);
  return { kind: 'fits', path };
}
