import { z } from 'zod';
import { type Faults, formatFaults } from '../../catalog/faults.ts';
import type { Model } from '../../catalog/model.ts';
import type { ProviderError } from '../../domain/provider.ts';

/** How the inputs of one model are written for an upstream. */
export interface Mapping<Made> {
  /** What the upstream cannot take of a valid input. */
  faults(input: unknown): Faults;
  /** Null for an input with faults. */
  map(input: unknown): Made | null;
}

/**
 * A narrower schema than the model's own, and what is made of it. What the schema does not name is refused,
 * so nothing is ever dropped; a field that means nothing at its default is named with that default alone
 * (`watermark: z.literal(false)`). Where calls go (`callback_url`, `external_task_id`) is ours and never seen here.
 */
export function defineMapping<Schema extends z.ZodType, Made>(
  takes: Schema,
  make: (input: z.output<Schema>) => Made,
): Mapping<Made> {
  return {
    faults: input => {
      const read = takes.safeParse(input, { error: reasonOf });
      return read.success ? [] : read.error.issues.flatMap(faultsOf);
    },
    map: input => {
      const read = takes.safeParse(input);
      return read.success ? make(read.data) : null;
    },
  };
}

/** A field that has no effect, whatever it says: the place of a watermark that is not there. */
export const anyValue = z.unknown().optional();

export const notAvailable = 'is not available here';

function reasonOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return issue.input === undefined ? 'is required here' : `must be ${joinWithOr(issue.values)} here`;
    case 'too_small':
      return `must be at least ${issue.minimum} here`;
    case 'too_big':
      return `must be at most ${issue.maximum} here`;
    case 'invalid_type':
      return issue.input === undefined ? 'is required here' : notAvailable;
    default:
      return notAvailable;
  }
}

export function joinWithOr(values: readonly unknown[]): string {
  const words = values.map(String);
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : String(words[0]);
}

function faultsOf(issue: z.core.$ZodIssue): Faults {
  const path = issue.path.map(String);
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map(key => ({ path: [...path, key].join('.'), reason: notAvailable }))
    : [{ path: path.join('.'), reason: issue.message }];
}

/** The input of a job without what is between its client and this gateway. */
export function withoutDelivery(model: Model, input: unknown): Readonly<Record<string, unknown>> {
  return model.withDelivery(input, { externalTaskId: null });
}

/** Faults of an input by the mapping of its model. */
export function mappingFaults<Made>(
  mappings: Readonly<Record<string, Mapping<Made>>>,
  model: Model,
  input: unknown,
): Faults {
  return mappingOf(mappings, model.id).faults(withoutDelivery(model, input));
}

export function mappingOf<Made>(
  mappings: Readonly<Record<string, Mapping<Made>>>,
  modelId: string,
): Mapping<Made> {
  const found = mappings[modelId];
  if (!found) throw new Error(`expected a model that is served, got ${modelId}`);
  return found;
}

/** For a job that was admitted for another route, or before the settings changed. */
export const invalidInputError = (faults: Faults): ProviderError => ({
  code: 'invalid_input',
  message: formatFaults(faults),
  retry: false,
});
