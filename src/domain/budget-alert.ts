/** An alert of a budget: an account that reached a step of its limit, and what its receiver is sent. */
import { toJson } from './json.ts';
import { formatAmount, type Micros } from './money.ts';

/** An account that reached a step. */
export interface BudgetAlert {
  readonly account: string;
  /** Name of the project, key or tag; the id of a key without a name. */
  readonly name: string;
  /** Month of UTC such as `2026-12`; null: for ever. */
  readonly period: string | null;
  readonly percent: number;
  readonly limit: Micros;
  /** Spent, held and uncertain. */
  readonly used: Micros;
}

/** Where alerts go, and the currency of the present prices. */
export interface AlertReceiver {
  readonly url: string;
  readonly currency: string;
}

/** In the form that Standard Webhooks recommends; `at` is epoch ms. */
export const budgetAlertBody = (
  { limit, used, ...alert }: BudgetAlert,
  { currency }: AlertReceiver,
  at: number,
): string =>
  toJson({
    type: 'budget.alert',
    timestamp: new Date(at).toISOString(),
    data: { ...alert, limit: formatAmount(limit), used: formatAmount(used), currency },
  });
