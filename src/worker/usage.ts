// What a completed job used, as rows for reports and invoices.
import { spokenTextOf } from '../catalog/estimate-usage.ts';
import { countCharacters } from '../catalog/fields.ts';
import type { Model } from '../catalog/model.ts';
import type { Job, Output } from '../domain/job.ts';
import type { Production } from '../domain/provider.ts';
import type { Usage } from '../domain/usage.ts';

/** As the upstream reports it, and as it is computed from input and outputs. */
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

/** Images, seconds or characters of the primary outputs, by the kind of the model. */
function computed(model: Model, input: unknown, outputs: readonly Output[]): readonly Usage[] {
  const line = (unit: Usage['unit'], quantity: number): Usage => ({ unit, quantity, basis: 'computed' });
  const seconds = outputs.reduce((sum, output) => sum + (output.seconds ?? 0), 0);
  switch (model.kind) {
    case 'image':
      return [line('image', outputs.length)];
    case 'video':
      return [line('second', seconds)];
    case 'speech':
      return [line('character', countCharacters(spokenTextOf(input))), line('second', seconds)];
  }
}
