/** The usage of an input as far as it is known before anything runs. */

import type { Usage, UsageUnit } from '../domain/usage.ts';
import { countCharacters } from './fields.ts';

import type { Model } from './model.ts';
import type { FactsAt } from './rule.ts';

/** The unit whose quantity an input of the model says by itself. */
export const estimatedUnitOf = ({ kind }: Pick<Model, 'kind'>): UsageUnit =>
  (({ image: 'image', video: 'second', speech: 'character' }) as const)[kind];

/** The usage of an input; `factsAt` gives the facts of its media, without which their lengths are guessed. */
export function estimateUsage(model: Model, input: unknown, factsAt?: FactsAt): readonly Usage[] {
  const plan = model.render(input, factsAt);
  const quantity =
    plan.kind === 'image'
      ? plan.count
      : plan.kind === 'video'
        ? plan.shots.reduce((sum, { seconds }) => sum + seconds, 0)
        : countCharacters(spokenTextOf(input));
  return [{ unit: estimatedUnitOf(model), quantity, basis: 'computed' }];
}

/** The text of a speech input; both speech families name the field so. */
export function spokenTextOf(input: unknown): string {
  const text = typeof input === 'object' && input !== null ? Reflect.get(input, 'text') : undefined;
  return typeof text === 'string' ? text : '';
}
