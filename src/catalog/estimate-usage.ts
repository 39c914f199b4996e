/** The usage of an input as far as it is known before anything runs. */

import type { Usage } from '../domain/job.ts';
import { countCharacters } from './fields.ts';
import type { Model } from './model.ts';

/** The usage of an input, as far as it is known before its media are read. */
export function estimateUsage(model: Model, input: unknown): readonly Usage[] {
  const line = (unit: Usage['unit'], quantity: number): Usage => ({ unit, quantity, basis: 'computed' });
  const plan = model.render(input);
  switch (plan.kind) {
    case 'image':
      return [line('image', plan.count)];
    case 'video':
      return [
        line(
          'second',
          plan.shots.reduce((sum, { seconds }) => sum + seconds, 0),
        ),
      ];
    case 'speech':
      return [line('character', countCharacters(spokenTextOf(input)))];
  }
}

/** The text of a speech input; both speech families name the field so. */
export function spokenTextOf(input: unknown): string {
  const text = typeof input === 'object' && input !== null ? Reflect.get(input, 'text') : undefined;
  return typeof text === 'string' ? text : '';
}
