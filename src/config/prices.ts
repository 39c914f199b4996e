/** Reads `prices` of `atelier.yaml`: what a unit of a model costs, and whether creations are held to limits. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import { estimatedUnitOf } from '../catalog/estimate-usage.ts';
import type { Model } from '../catalog/model.ts';
import { multiplyDecimals } from '../domain/money.ts';
import type { Prices, PriceTier, UnitPrices } from '../domain/prices.ts';
import { type UsageUnit, usageUnits } from '../domain/usage.ts';
import { didYouMean, type Issue } from './issues.ts';

/** In the currency of the file. */
const maxUnitPrice = 1_000_000;
/** Far below what sums of millionths can hold exactly. */
const maxJobPrice = 1_000_000;
/** Of one model. */
const maxTiers = 100;
const price = z
  .number({ error: 'must be a number' })
  .min(0, { error: `must be between 0 and ${maxUnitPrice}` })
  .max(maxUnitPrice, { error: `must be between 0 and ${maxUnitPrice}` });
/** A number for each unit in which usage is counted. */
const perUnit = Object.fromEntries(usageUnits.map(unit => [unit, price.optional()])) as Record<
  UsageUnit,
  z.ZodOptional<typeof price>
>;
/** An upper bound of a unit, for units that an input does not say. */
const quantity = z.number({ error: 'must be a number' }).positive({ error: 'must be above 0' });
const perUnitMax = z.strictObject(
  Object.fromEntries(usageUnits.map(unit => [unit, quantity.optional()])) as Record<
    UsageUnit,
    z.ZodOptional<typeof quantity>
  >,
);
/**
 * Prices of inputs whose fields have the values of `when`; `max` bounds units that an input does not say. `cost` is what a
 * unit costs the house; with `factor` what is charged is so many times the cost, but for units with a price of their own.
 */
const tier = z.strictObject({
  when: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  max: perUnitMax.optional(),
  cost: z.strictObject(perUnit).optional(),
  factor: z
    .number({ error: 'must be a number' })
    .positive({ error: 'must be above 0 and at most 1000' })
    .max(1000, { error: 'must be above 0 and at most 1000' })
    .optional(),
  ...perUnit,
});

/** All prices are in one currency. */
export const pricesSchema = z.strictObject({
  currency: z
    .string({ error: 'must be three letters, such as USD' })
    .regex(/^[A-Z]{3}$/, { error: 'must be three letters, such as USD' }),
  hold: z.boolean({ error: 'must be true or false' }).default(false),
  unpriced: z.enum(['refuse', 'free'], { error: 'must be refuse or free' }).default('refuse'),
  alerts: z
    .strictObject({ url: z.url({ protocol: /^https?$/, error: 'must be an address with http or https' }) })
    .optional(),
  models: z.record(z.string(), z.union([tier, z.array(tier).min(1).max(maxTiers)])),
});
/** Prices as they are written, with defaults. */
type WrittenPrices = z.output<typeof pricesSchema>;
type WrittenTier = z.output<typeof tier>;

/** `prices` is null where none are set. A price of an unknown model, field or unbounded unit is an issue. */
export function readPrices(
  written: WrittenPrices | undefined,
  catalog: Catalog,
): { readonly prices: Prices | null; readonly issues: readonly Issue[] } {
  if (!written) return { prices: null, issues: [] };
  const models = new Map(
    Object.entries(written.models).map(([id, tiers]) => [id, [tiers].flat().map(tierFromFile)]),
  );
  const issues = [...models].flatMap(([id, tiers]) => {
    const model = catalog.find(id);
    const path = ['prices', 'models', id];
    if (model) return tiers.flatMap(own => faultsOf(own, model).map(message => ({ path, message })));
    const ids = catalog.all.map(known => known.id);
    return [{ path, message: `there is no such model${didYouMean(id, ids)}` }];
  });
  const { currency, hold, unpriced } = written;
  const alertUrl = written.alerts?.url ?? null;
  return { prices: { currency, hold, unpriced, alertUrl, models, version: versionOf(written) }, issues };
}

function tierFromFile({ when = {}, max = {}, cost, factor, ...written }: WrittenTier): PriceTier {
  const own = withoutUndefined(written);
  const costs = cost ? withoutUndefined(cost) : null;
  const units = factor === undefined ? own : { ...timesFactor(costs ?? {}, factor), ...own };
  return { when, max: withoutUndefined(max), units, cost: costs };
}

const timesFactor = (costs: UnitPrices, factor: number): UnitPrices =>
  Object.fromEntries(Object.entries(costs).map(([unit, price]) => [unit, multiplyDecimals(price, factor)]));

/** Units that are not named are absent. */
const withoutUndefined = (units: Partial<Record<UsageUnit, number | undefined>>) =>
  Object.fromEntries(Object.entries(units).filter(([, value]) => value !== undefined)) as Partial<
    Record<UsageUnit, number>
  >;

/** Conditions on fields that the model does not have, and units whose quantity nothing bounds. */
function faultsOf({ when, units, max, cost }: PriceTier, model: Model): readonly string[] {
  const fields = Object.keys(model.schema.shape);
  const unknown = Object.keys(when).filter(field => !fields.includes(field));
  const unbounded = Object.keys({ ...units, ...cost }).filter(
    unit => unit !== estimatedUnitOf(model) && max[unit as UsageUnit] === undefined,
  );
  const unbearable = [...Object.entries(units), ...Object.entries(cost ?? {})].filter(
    ([unit, price]) => price * (max[unit as UsageUnit] ?? 0) > maxJobPrice,
  );
  return [
    ...(cost && Object.keys(units).length === 0
      ? ['cost: says what a unit costs, not what is charged; add a price, or factor: N']
      : []),
    ...unbearable.map(([unit]) => `${unit}: price times max.${unit} must be at most ${maxJobPrice}`),
    ...unknown.map(field => `when: ${field} is no field of the model${didYouMean(field, fields)}`),
    ...unbounded.map(
      unit => `${unit}: no input says how many a job uses; add max: { ${unit}: N }, the most of one job`,
    ),
  ];
}

/** The same for every process that reads the same prices. */
const versionOf = ({ currency, models }: WrittenPrices): string =>
  createHash('sha256')
    .update(JSON.stringify([currency, models]))
    .digest('hex')
    .slice(0, 16);
