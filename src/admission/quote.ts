/** Quotes of requests: what they may cost at most, from their fields and the facts of their media. */
import { longestOf, quoteInput } from '../catalog/quote-input.ts';
import type { MediaFacts } from '../domain/media.ts';
import type { Prices, Quote } from '../domain/prices.ts';
import type { RoutedDraft } from './draft.ts';

/** The bounded maximum of a request whose media are inspected; null where its model has no price. */
export function quoteDraft(
  prices: Prices | null,
  { model, input, media, references }: Pick<RoutedDraft, 'model' | 'input' | 'media' | 'references'>,
): Quote | null {
  const facts: Record<string, MediaFacts> = { ...references.facts };
  for (const item of media.items) {
    const path = item.found.path.join('.');
    const known = item.kind === 'unchanged' ? longestOf(item.found) : item.facts;
    if (known) facts[path] = known;
  }
  return quoteInput(prices, model, input, path => facts[path] ?? null);
}
