import type { Catalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { HttpParts } from './parts.ts';

/** Made of the models when it is first asked for, and again once others are served. */
export function madeOfServed<T>(
  { served }: Pick<HttpParts, 'served'>,
  make: (models: readonly Model[]) => T,
): () => T {
  let made: { readonly of: Catalog; readonly it: T } | null = null;
  return () => {
    const of = served();
    if (made?.of !== of) made = { of, it: make(of.all) };
    return made.it;
  };
}
