import { spokenTextOf } from '../catalog/estimate-usage.ts';
import { countCharacters } from '../catalog/fields.ts';
import type { Model } from '../catalog/model.ts';
import type { Job, Output, Usage } from '../domain/job.ts';
import type { Production } from '../domain/provider.ts';

/** What a job used: as its upstream says, and what can be counted here. */
export const usageOf = (
  model: Model,
  { input }: Job,
  { usage = [] }: Production,
  outputs: readonly Output[],
): readonly Usage[] => [
  ...usage,
  ...computed(
    model,
    input,
    outputs.filter(({ role }) => role === 'primary'),
  ),
];

function computed(model: Model, input: unknown, made: readonly Output[]): readonly Usage[] {
  const line = (unit: Usage['unit'], quantity: number): Usage => ({ unit, quantity, basis: 'computed' });
  const seconds = made.reduce((sum, output) => sum + (output.seconds ?? 0), 0);
  switch (model.kind) {
    case 'image':
      return [line('image', made.length)];
    case 'video':
      return [line('second', seconds)];
    case 'speech':
      return [line('character', countCharacters(spokenTextOf(input))), line('second', seconds)];
  }
}
