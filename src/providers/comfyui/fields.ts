/** Workflows of a custom model: each field of the model goes to an input of a node. */

import { z } from 'zod';
import type { Faults } from '../../catalog/faults.ts';
import type { Model } from '../../catalog/model.ts';
import type { ProviderTask } from '../../domain/provider.ts';
import { hasField, leavesOf } from '../kit/body-route.ts';
import { type EngineMedium, seedOf } from '../kit/engine-job.ts';
import { coversPath, segmentsOf, valuesAt } from '../kit/json-path.ts';
import { notAvailable, withoutDelivery } from '../kit/mapping.ts';

/** An input of a node, and the field of the model that it gets. */
interface FieldPlace {
  readonly field: string;
  readonly node: string;
  readonly input: string;
}

/** What a node input may be set to. */
export type PlacedValue = string | number | boolean;

/** The values of one job for a graph. */
export interface PlacedValues {
  readonly placed: readonly {
    readonly node: string;
    readonly input: string;
    /** Undefined: the job leaves it out. */
    readonly value: PlacedValue | undefined;
  }[];
  /** Null where the workflow has no place for one. */
  readonly seed: number | null;
}

/** Fields of a workflow that its model lacks. */
export const fieldFaults = (model: Model, places: readonly FieldPlace[]): Faults =>
  places.flatMap(({ field }) =>
    hasField(model, field) ? [] : [{ path: 'workflow.inputs', reason: `${model.id} has no field ${field}` }],
  );

/** Values of an input that the workflow has no place for, and media of the workflow that the input lacks. */
export function fieldInputFaults(model: Model, input: unknown, places: readonly FieldPlace[]): Faults {
  const unplaced = leavesOf(withoutDelivery(model, input)).filter(
    ({ path }) => !places.some(({ field }) => coversPath(field, path)),
  );
  // The sample file of the workflow is never used in the place of a client's.
  const missing = places.filter(({ field }) => isMedium(model, field) && valuesAt(input, field).length === 0);
  return [
    ...unplaced.map(({ path }) => ({ path: path.join('.'), reason: notAvailable })),
    ...missing.map(({ field }) => ({ path: field, reason: 'is required here' })),
  ];
}

const described = z.looseObject({ media: z.unknown().optional(), items: z.unknown().optional() });

/** Whether a field is a medium, or a list of them. */
function isMedium(model: Model, field: string): boolean {
  const [name] = segmentsOf(field);
  const { properties = {} } = z.toJSONSchema(model.schema, { io: 'input', unrepresentable: 'any' });
  const property = described.safeParse(properties[String(name)]).data;
  return [property, described.safeParse(property?.items).data].some(one => one?.media !== undefined);
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** The values of a job by the fields of its model; a seed is always given, as a graph is not run twice with one. */
export function fieldValuesOf(
  model: Model,
  task: ProviderTask,
  { places, uploads }: FieldContext,
): PlacedValues {
  const { input } = task.job;
  const media = new Set(model.media(input).map(({ path }) => path.join('.')));
  const seeds = model.fieldsFor('seed');
  const valueIn = (field: string): PlacedValue | undefined => {
    const value = scalar.safeParse(valuesAt(input, field)[0]).data;
    if (value === undefined && seeds.includes(field)) return seedOf(task);
    return media.has(segmentsOf(field).join('.')) ? uploads[String(value)] : value;
  };
  const seedField = places.find(({ field }) => seeds.includes(field));
  return {
    placed: places.map(({ field, node, input: name }) => ({ node, input: name, value: valueIn(field) })),
    seed: seedField ? Number(valueIn(seedField.field)) : null,
  };
}

interface FieldContext {
  readonly places: readonly FieldPlace[];
  /** A reference of the input → what the upstream calls its upload. */
  readonly uploads: Readonly<Record<string, string>>;
}

/** The media that a workflow has a place for, by their field. */
export function placedMediaOf(
  model: Model,
  { job: { input }, media, facts }: ProviderTask,
  places: readonly FieldPlace[],
): readonly (readonly [field: string, medium: EngineMedium])[] {
  const wanted = new Set(places.map(({ field }) => segmentsOf(field).join('.')));
  return model.media(input).flatMap(({ path, value }) => {
    const field = path.join('.');
    const local = media[value];
    const mimeType = facts[field]?.mimeType ?? 'application/octet-stream';
    if (!wanted.has(field) || local === undefined) return [];
    return [[field, { reference: value, path: local, mimeType }] as const];
  });
}
