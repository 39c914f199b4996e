/** Quotes of inputs whose media nobody has looked into: at most as long as their fields allow. */
import type { MediaFacts } from '../domain/media.ts';
import { type Prices, type Quote, quoteOf, tierOf } from '../domain/prices.ts';
import { estimateUsage } from './estimate-usage.ts';
import type { FoundMedia } from './media.ts';
import type { Model } from './model.ts';
import type { FactsAt } from './rule.ts';

/** Of an input that is known to be valid; without `factsAt` its videos are as long as their fields allow. */
export function quoteInput(
  prices: Prices | null,
  model: Model,
  input: Parameters<Model['media']>[0],
  factsAt?: FactsAt,
): Quote | null {
  // Models without a price are not planned: it costs nothing where there is no price book.
  if (!tierOf(prices, model.id, input)) return null;
  return quoteOf(prices, model.id, input, estimateUsage(model, input, factsAt ?? longestMedia(model, input)));
}

/** For media that nothing is known of but their fields. */
function longestMedia(model: Model, input: Parameters<Model['media']>[0]): FactsAt {
  const found = new Map(model.media(input).map(item => [item.path.join('.'), item]));
  return path => {
    const item = found.get(path);
    return item ? longestOf(item) : null;
  };
}

/** A video at an address is fetched once the job runs: until then it is as long as its field allows. */
export function longestOf({ limits }: FoundMedia): MediaFacts | null {
  if (limits.kind !== 'video' || limits.seconds === undefined || !Number.isFinite(limits.seconds.max))
    return null;
  const video = { width: 0, height: 0, seconds: limits.seconds.max, fps: 0, codec: '' };
  return { mimeType: 'video/mp4', bytes: 0, video };
}
