/** Reads a price book that is not in the settings yet, for a dry run. */
import { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import type { Prices } from '../domain/prices.ts';
import { issuesOf, parseSettings } from './issues.ts';
import { pricesSchema, readPrices } from './prices.ts';
import { parseSettingsText } from './settings-file.ts';

/** The prices, or what is wrong with them: a sentence each. */
export type ReadPriceBook = { readonly prices: Prices } | { readonly faults: readonly [string, ...string[]] };

/** Reads YAML or JSON: what stands below `prices`, or a whole `atelier.yaml` that has it. `name` is for faults. */
export function readPriceBook(written: string, name: string, catalog: Catalog): ReadPriceBook {
  const file = parseSettingsText(written, name);
  const whole = z.looseObject({ prices: z.unknown() }).safeParse(file.value).data;
  const isWhole = whole?.prices !== undefined;
  const parsed = parseSettings(pricesSchema, isWhole ? whole.prices : file.value);
  const { prices, issues } = readPrices(parsed.data, catalog);
  const at = isWhole ? ['prices'] : [];
  const all = [
    ...issuesOf(parsed).map(({ path, message }) => ({ path: [...at, ...path], message })),
    ...issues.map(({ path, message }) => ({ path: isWhole ? path : path.slice(1), message })),
  ];
  const [first, ...rest] = [...file.faults, ...all.map(issue => file.describeIssue(issue))];
  if (first !== undefined) return { faults: [first, ...rest] };
  return prices ? { prices } : { faults: [`${name}: has no prices`] };
}
