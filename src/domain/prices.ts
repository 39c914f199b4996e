/** Prices that an operator configured, for estimates and reports. Nothing is billed by them. */
import type { Usage, UsageUnit } from './job.ts';

/** Prices per unit of usage. */
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
 * Null where the model has no price. Usage reported by an upstream counts only where none of that unit was computed
 * here, so that nothing counts twice.
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
