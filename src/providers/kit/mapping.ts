/** Mappings: which inputs of a model an upstream takes, and the body that is made of them. */

import { z } from 'zod';
import { type Faults, formatFaults } from '../../catalog/faults.ts';
import type { Model } from '../../catalog/model.ts';
import type { ProviderError } from '../../domain/provider.ts';

/** How the inputs of one model are written for an upstream. */
export interface Mapping<Body> {
  /** What the upstream cannot take of a valid input; an empty list where it takes all of it. */
  faults(input: unknown): Faults;
  /** The body; null for an input with faults. */
  map(input: unknown): Body | null;
}

/**
 * Defines a mapping by a schema that is narrower than the model's, and a function from its output to the body. A field
 * that the schema does not name is refused, so that none is dropped; a field that has no effect at its default is named
 * with that default only (`watermark: z.literal(false)`). `callback_url` and `external_task_id` are removed before.
 */
export function defineMapping<Schema extends z.ZodType, Body>(
  accepted: Schema,
  toBody: (input: z.output<Schema>) => Body,
): Mapping<Body> {
  return {
    faults: input => {
      const read = accepted.safeParse(input, { error: reasonOf });
      return read.success ? [] : read.error.issues.flatMap(faultsOf);
    },
    map: input => {
      const read = accepted.safeParse(input);
      return read.success ? toBody(read.data) : null;
    },
  };
}

/** For a field without effect, whatever its value: the position of a watermark that is off. */
export const anyValue = z.unknown().optional();

/** The reason for a field or value that the upstream does not take. */
export const notAvailable = 'is not available here';

/** The reason of a fault, by what the mapping accepts. */
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

/** `a, b or c`. */
export function joinWithOr(values: readonly unknown[]): string {
  const words = values.map(String);
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : String(words[0]);
}

/** The faults of one issue; one for each field that the mapping does not name. */
function faultsOf(issue: z.core.$ZodIssue): Faults {
  const path = issue.path.map(String);
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map(key => ({ path: [...path, key].join('.'), reason: notAvailable }))
    : [{ path: path.join('.'), reason: issue.message }];
}

/** The input of a job without the client's callback address and task id, which concern this gateway only. */
export function withoutDelivery(model: Model, input: unknown): Readonly<Record<string, unknown>> {
  return model.withDelivery(input, { externalTaskId: null });
}

/** The faults of an input by the mapping of its model. */
export function mappingFaults<Body>(
  mappings: Readonly<Record<string, Mapping<Body>>>,
  model: Model,
  input: unknown,
): Faults {
  return mappingOf(mappings, model.id).faults(withoutDelivery(model, input));
}

/** The mapping of a model; an error for one that the provider does not serve. */
export function mappingOf<Body>(
  mappings: Readonly<Record<string, Mapping<Body>>>,
  modelId: string,
): Mapping<Body> {
  const found = mappings[modelId];
  if (!found) throw new Error(`expected a model that is served, got ${modelId}`);
  return found;
}

/** The error of a job that was admitted for another route, or before the settings changed. */
export const invalidInputError = (faults: Faults): ProviderError => ({
  code: 'invalid_input',
  message: formatFaults(faults),
  retry: false,
});
