/** Reads `prices` of `atelier.yaml`: what a unit of a model costs. */
import { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import { type UsageUnit, usageUnits } from '../domain/job.ts';
import type { Prices } from '../domain/prices.ts';
import { didYouMean, type Issue } from './issues.ts';

/** In the currency of the file. */
const maxUnitPrice = 1_000_000;
const price = z
  .number({ error: 'must be a number' })
  .min(0, { error: `must be between 0 and ${maxUnitPrice}` })
  .max(maxUnitPrice, { error: `must be between 0 and ${maxUnitPrice}` });
/** A price for each unit in which usage is counted. */
const perUnit = z.strictObject(
  Object.fromEntries(usageUnits.map(unit => [unit, price.optional()])) as Record<
    UsageUnit,
    z.ZodOptional<typeof price>
  >,
);

/** All prices are in one currency. */
export const pricesSchema = z.strictObject({
  currency: z
    .string({ error: 'must be three letters, such as USD' })
    .regex(/^[A-Z]{3}$/, { error: 'must be three letters, such as USD' }),
  models: z.record(z.string(), perUnit),
});

/** `prices` is null where none are set; a price of an unknown model is an issue. */
export function readPrices(
  written: z.output<typeof pricesSchema> | undefined,
  catalog: Catalog,
): { readonly prices: Prices | null; readonly issues: readonly Issue[] } {
  if (!written) return { prices: null, issues: [] };
  const models = new Map(
    Object.entries(written.models).map(([id, units]) => [id, units as Partial<Record<UsageUnit, number>>]),
  );
  const issues = [...models.keys()]
    .filter(id => !catalog.find(id))
    .map(id => ({
      path: ['prices', 'models', id],
      message: `there is no such model${didYouMean(
        id,
        catalog.all.map(model => model.id),
      )}`,
    }));
  return { prices: { currency: written.currency, models }, issues };
}
