/** A cache for values that are made from the served models. */

import type { Catalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { HttpContext } from './http-context.ts';

/** Caches a value made from the served models, until other models are served. */
export function cachedPerCatalog<T>(
  { servedModels }: Pick<HttpContext, 'servedModels'>,
  make: (models: readonly Model[]) => T,
): () => T {
  let made: { readonly of: Catalog; readonly it: T } | null = null;
  return () => {
    const of = servedModels();
    if (made?.of !== of) made = { of, it: make(of.all) };
    return made.it;
  };
}
