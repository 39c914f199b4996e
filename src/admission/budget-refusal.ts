/** 402: what a job may cost does not fit into a budget, or cannot be held to it without a price. */
import { formatAmount } from '../domain/money.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { BudgetExceeded } from '../store/money/holds.ts';

/** The sentence names the account, what is left of it and what the job may cost. */
export function budgetRefusal(exceeded: BudgetExceeded, modelId: string): Refusal {
  const account = `${exceeded.account.kind} ${exceeded.account.name}`;
  if (exceeded.kind === 'price_missing')
    return refuse('price_missing', { subject: `${modelId}, and ${account}` });
  const { available, amount, currency } = exceeded;
  const left = `${formatAmount(available)} ${currency}`;
  return refuse('budget_exceeded', {
    subject: `${account} has ${left} left, this job may cost up to ${formatAmount(amount)} ${currency}`,
  });
}
