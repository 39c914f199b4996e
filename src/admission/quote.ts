/** Quotes: what an input may cost at most, from its fields and the facts of its media. */
import { estimateUsage } from '../catalog/estimate-usage.ts';
import type { FoundMedia } from '../catalog/media.ts';
import type { Model } from '../catalog/model.ts';
import type { FactsAt } from '../catalog/rule.ts';
import type { MediaFacts } from '../domain/media.ts';
import { type Prices, type Quote, quoteOf, tierOf } from '../domain/prices.ts';
import type { ParsedDraft, RoutedDraft } from './draft.ts';

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

/** Of an input that is known to be valid; without `factsAt` its videos are as long as their fields allow. */
export function quoteInput(
  prices: Prices | null,
  model: Model,
  input: ParsedDraft['input'],
  factsAt?: FactsAt,
): Quote | null {
  // Models without a price are not planned: it costs nothing where there is no price book.
  if (!tierOf(prices, model.id, input)) return null;
  return quoteOf(prices, model.id, input, estimateUsage(model, input, factsAt ?? longestMedia(model, input)));
}

/** For media that nothing is known of but their fields. */
function longestMedia(model: Model, input: ParsedDraft['input']): FactsAt {
  const found = new Map(model.media(input).map(item => [item.path.join('.'), item]));
  return path => {
    const item = found.get(path);
    return item ? longestOf(item) : null;
  };
}

/** A video at an address is fetched once the job runs: until then it is as long as its field allows. */
function longestOf({ limits }: FoundMedia): MediaFacts | null {
  if (limits.kind !== 'video' || limits.seconds === undefined || !Number.isFinite(limits.seconds.max))
    return null;
  const video = { width: 0, height: 0, seconds: limits.seconds.max, fps: 0, codec: '' };
  return { mimeType: 'video/mp4', bytes: 0, video };
}
