/** Reads `mounts` of `atelier.yaml`: which other protocols are spoken, and their names of our models. */
import { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import { type Mount, type MountName, type Mounts, mountNames } from '../domain/mounts.ts';
import { definitionOf } from '../providers/index.ts';
import { didYouMean, type Issue } from './issues.ts';

const mount = z.union([
  z.boolean({ error: 'must be true, false, or { models: { name: id } }' }),
  z.strictObject({ models: z.record(z.string(), z.string()).default({}) }),
]);

/** A protocol that is not named is spoken. */
export const mountsSchema = z.strictObject(
  Object.fromEntries(mountNames.map(name => [name, mount.default(true)])) as Record<
    MountName,
    z.ZodDefault<typeof mount>
  >,
);

/** A name for a model that does not exist is an issue. */
export function readMounts(
  written: z.output<typeof mountsSchema> | undefined,
  catalog: Catalog,
): { readonly mounts: Mounts; readonly issues: readonly Issue[] } {
  const given = written ?? mountsSchema.parse({});
  const issues: Issue[] = [];
  const mounts: Partial<Record<MountName, Mount>> = {};
  for (const name of mountNames) {
    const mounted = given[name];
    if (mounted === false) continue;
    const models = mounted === true ? {} : mounted.models;
    mounts[name] = { models: new Map(Object.entries(models)), upstreamNames: upstreamNamesOf(name) };
    for (const [theirs, ours] of Object.entries(models)) {
      if (catalog.find(ours)) continue;
      const ids = catalog.all.map(model => model.id);
      const message = `there is no model ${ours}${didYouMean(ours, ids)}`;
      issues.push({ path: ['mounts', name, 'models', theirs], message });
    }
  }
  return { mounts, issues };
}

/** The provider's own table of models, read the other way round. */
const upstreamNamesOf = (name: MountName): ReadonlyMap<string, string> =>
  new Map(Object.entries(definitionOf(name)?.models ?? {}).map(([ours, theirs]) => [theirs, ours]));
