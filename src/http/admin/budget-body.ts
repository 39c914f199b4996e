/** Budgets in bodies of the admin API: limits that are set, and balances that are shown. */
import { formatAmount } from '../../domain/money.ts';
import { balanceBody, readBalance } from '../../store/money/balance.ts';
import type { AccountOwner } from '../../store/money/owners.ts';
import type { HttpContext } from '../http-context.ts';
import { refuseField } from './admin-body.ts';
import { readAmount } from './read-amount.ts';

/** `limit` and `monthly` of a body; absent or null: no limit. */
export function readLimit({ limit, monthly }: { readonly limit?: unknown; readonly monthly?: unknown }) {
  if (monthly !== undefined && typeof monthly !== 'boolean') refuseField('monthly', 'must be true or false');
  const micros = limit === undefined || limit === null ? null : readAmount('limit', limit);
  if (micros !== null && micros < 0) refuseField('limit', 'must be at least 0');
  if (monthly === true && micros === null) refuseField('monthly', 'needs a limit');
  return { limit: micros, monthly: monthly === true };
}

/** What its owner, of that name, may spend and has spent in the present period. */
export async function budgetBody({ db, clock }: HttpContext, owner: AccountOwner, name: string) {
  const balance = await readBalance(db, owner, clock.now());
  if (!balance) throw new Error(`expected an account of the ${owner.kind} ${name}`);
  return {
    ...balanceBody(name, balance),
    monthly: balance.monthly,
    floor: formatAmount(balance.floor),
  };
}
