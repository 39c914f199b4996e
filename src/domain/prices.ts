import type { Usage, UsageUnit } from './job.ts';

/** What the operator says that a unit costs: for estimates and reports. Nothing here bills anybody. */
export interface Prices {
  /** Three letters of ISO 4217. */
  readonly currency: string;
  /** By model id. */
  readonly models: ReadonlyMap<string, Readonly<Partial<Record<UsageUnit, number>>>>;
}

export interface Cost {
  readonly amount: number;
  readonly currency: string;
}

/**
 * Null where the model has no price. What an upstream reported counts where nothing of that unit was counted here:
 * one second is not paid twice because two say so.
 */
export function costOf(prices: Prices | null, modelId: string, usage: readonly Usage[]): Cost | null {
  const own = prices?.models.get(modelId);
  if (!prices || !own) return null;
  const isCounted = (line: Usage) =>
    line.basis === 'computed' || !usage.some(({ unit, basis }) => unit === line.unit && basis === 'computed');
  const amount = usage
    .filter(isCounted)
    .reduce((sum, { unit, quantity }) => sum + (own[unit] ?? 0) * quantity, 0);
  return { amount, currency: prices.currency };
}
