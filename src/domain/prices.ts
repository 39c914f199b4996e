/** The price book: what a unit of a model is charged and costs, by tier; quotes of inputs, and the cost of what was used. */

import { type CostBody, formatAmount, formatPrice, type Micros, multiplyPrice } from './money.ts';
import type { Usage, UsageUnit } from './usage.ts';

/** Prices per unit of usage, in the currency of the book. */
export type UnitPrices = Readonly<Partial<Record<UsageUnit, number>>>;

/** The prices of a model for inputs whose fields have these values; no conditions: for every input. */
export interface PriceTier {
  /** Top-level fields of the input and the value of each. */
  readonly when: Readonly<Record<string, string | number | boolean>>;
  readonly units: UnitPrices;
  /** The most of a unit that one job can use, where its input does not say: of tokens, credits and GPU seconds. */
  readonly max: UnitPrices;
  /** What a unit costs the house, which no client sees; null: unknown. */
  readonly cost: UnitPrices | null;
}

/** Prices that an operator configured. */
export interface Prices {
  /** Three letters of ISO 4217. */
  readonly currency: string;
  /** By model id; the first tier that fits an input counts. */
  readonly models: ReadonlyMap<string, readonly PriceTier[]>;
  /** Names the content: two books with the same prices have the same version. */
  readonly version: string;
  /** Whether creations reserve their amount and are held to limits. False: estimates and reports alone. */
  readonly hold: boolean;
  /** What happens to a job without a price under an account with a limit. */
  readonly unpriced: 'refuse' | 'free';
  /** Where alerts of budgets go; null: to the log and the metrics alone. */
  readonly alertUrl: string | null;
}

/** One line of a quote: what a job may use at most, and the price of a unit. */
export interface QuoteLine {
  readonly unit: UsageUnit;
  readonly quantity: number;
  readonly price: number;
}

/** What a job may cost at most, under the prices of one version. */
export interface Quote {
  readonly amount: Micros;
  readonly currency: string;
  readonly lines: readonly QuoteLine[];
  readonly version: string;
  /** What it costs the house at most, which no client sees; null: unknown. */
  readonly houseCost: readonly QuoteLine[] | null;
}

/** One line of a cost. */
export interface CostLine extends QuoteLine {
  readonly basis: Usage['basis'];
}

/** What a job cost. */
export interface Cost {
  readonly amount: Micros;
  readonly currency: string;
  readonly lines: readonly CostLine[];
}

/** The tier of an input; null where the model has no price for it. */
export function tierOf(prices: Prices | null, modelId: string, input: unknown): PriceTier | null {
  const fits = ({ when }: PriceTier) =>
    Object.entries(when).every(
      ([field, value]) => typeof input === 'object' && input !== null && Reflect.get(input, field) === value,
    );
  return prices?.models.get(modelId)?.find(fits) ?? null;
}

/**
 * The bounded maximum of an input: `known` is its usage as far as the input says it, the rest is the tier's `max`. Null
 * where the input has no price.
 */
export function quoteOf(
  prices: Prices | null,
  modelId: string,
  input: unknown,
  known: readonly Usage[],
): Quote | null {
  const tier = tierOf(prices, modelId, input);
  if (!prices || !tier) return null;
  const linesOf = (units: UnitPrices) =>
    Object.entries(units).map(([name, price]) => {
      const unit = name as UsageUnit;
      return {
        unit,
        quantity: known.find(line => line.unit === unit)?.quantity ?? tier.max[unit] ?? 0,
        price,
      };
    });
  const lines = linesOf(tier.units);
  const { currency, version } = prices;
  return { amount: sumOf(lines), currency, lines, version, houseCost: tier.cost && linesOf(tier.cost) };
}

/**
 * The cost of what was used, at the prices of its quote. What the upstream reports of a unit counts before what was
 * computed here; computed quantities are those of the quote at most, since a film of 5.04 s was ordered as 5 s.
 */
export function costOf(quote: Pick<Quote, 'currency' | 'lines'>, usage: readonly Usage[]): Cost {
  const lines = quote.lines.flatMap((line): readonly CostLine[] => {
    const reported = reportedLine(line, usage);
    if (reported) return [reported];
    const computed = usage.filter(({ unit }) => unit === line.unit);
    if (computed.length === 0) return [];
    return [{ ...line, quantity: orderedQuantity(totalOf(computed), line.quantity), basis: 'computed' }];
  });
  return { amount: sumOf(lines), currency: quote.currency, lines };
}

/** The cost of a job of which its upstream charges all: what it reports of a unit, else what was quoted of it. */
export function wholeCostOf(quote: Pick<Quote, 'currency' | 'lines'>, usage: readonly Usage[]): Cost {
  const lines = quote.lines.map(
    (line): CostLine => reportedLine(line, usage) ?? { ...line, basis: 'computed' },
  );
  return { amount: sumOf(lines), currency: quote.currency, lines };
}

/** Null where the upstream reports nothing of the unit. */
function reportedLine(line: QuoteLine, usage: readonly Usage[]): CostLine | null {
  const reported = usage.filter(({ unit, basis }) => unit === line.unit && basis === 'reported');
  return reported.length === 0 ? null : { ...line, quantity: totalOf(reported), basis: 'reported' };
}

/** Encoders round a film to whole frames: within half a unit it is as long as ordered. */
const orderedQuantity = (measured: number, quoted: number): number =>
  Math.abs(measured - quoted) < 0.5 ? quoted : Math.min(measured, quoted);

const totalOf = (lines: readonly Usage[]): number => lines.reduce((sum, { quantity }) => sum + quantity, 0);
const sumOf = (lines: readonly QuoteLine[]): Micros =>
  lines.reduce((sum, { price, quantity }) => sum + multiplyPrice(price, quantity), 0);

/** A quote as it is shown: amounts and prices as decimal strings. */
export const quoteBody = ({ amount, currency, lines, version }: Quote) => ({
  amount: formatAmount(amount),
  currency,
  lines: lines.map(({ unit, quantity, price }) => ({ unit, quantity, price: formatPrice(price) })),
  price_version: version,
});

/** A cost as it is shown: amounts and prices as decimal strings. */
export const costBody = ({ amount, currency, lines }: Cost): CostBody => ({
  amount: formatAmount(amount),
  currency,
  lines: lines.map(({ unit, quantity, price, basis }) => ({
    unit,
    quantity,
    price: formatPrice(price),
    basis,
  })),
});

/** An estimate in reports, as a number: nothing is charged by it. */
export interface Estimate {
  readonly amount: number;
  readonly currency: string;
}

/**
 * What usage would cost; null where there is no price for it. Without an `input` the tier without conditions counts.
 * Usage reported by an upstream counts only where none of that unit was computed here, so that nothing counts twice.
 */
export function estimateCost(
  prices: Prices | null,
  modelId: string,
  usage: readonly Usage[],
  input: unknown = null,
): Estimate | null {
  const tier = tierOf(prices, modelId, input);
  if (!prices || !tier) return null;
  const isCounted = (line: Usage) =>
    line.basis === 'computed' || !usage.some(({ unit, basis }) => unit === line.unit && basis === 'computed');
  const amount = usage
    .filter(isCounted)
    .reduce((sum, { unit, quantity }) => sum + (tier.units[unit] ?? 0) * quantity, 0);
  return { amount, currency: prices.currency };
}
