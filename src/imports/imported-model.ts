/** A model that was read from a published schema: what is written into `atelier.yaml` for a person to read. */

import { readCustomModel } from '../catalog/custom/model.ts';
import { formatFaults } from '../catalog/faults.ts';
import type { Kind } from '../catalog/model.ts';
import { clip } from './clip.ts';
import { ImportError } from './import-error.ts';
import { type MappedFields, mappedFieldNames, type WrittenProperty } from './read-fields.ts';

/** Longest title and summary that are written. */
const maxTitle = 100;
const maxSummary = 300;

/** What is written for a model, as `models` of `atelier.yaml` has it. */
export interface WrittenModel {
  readonly kind: Kind;
  readonly title: string;
  readonly summary: string;
  readonly schema: {
    readonly type: 'object';
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, WrittenProperty>>;
  };
  readonly examples: readonly [Readonly<Record<string, unknown>>];
}

/** A model, its route without the account, and what of the schema is not in them. */
export interface ImportedModel {
  /** The id that it gets unless the operator names one. */
  readonly id: string;
  readonly model: WrittenModel;
  readonly route: Readonly<Record<string, unknown>>;
  /** Sentences: a field that was left out or changed, with the reason. */
  readonly notes: readonly string[];
}

/** What a source knows of a model beside its fields. */
export interface ModelHead {
  /** What the upstream calls it. */
  readonly name: string;
  readonly kind: Kind;
  readonly title: string;
  readonly summary: string;
}

/** Assembles a model and checks it as the start of the gateway does. Throws `ImportError` where it is refused. */
export function assembleModel(
  { name, kind, title, summary }: ModelHead,
  fields: MappedFields,
  route: ImportedModel['route'],
  notes: readonly string[] = [],
): ImportedModel {
  const model: WrittenModel = {
    kind,
    title: clip(title, maxTitle),
    summary: clip(summary, maxSummary),
    schema: {
      type: 'object',
      ...(fields.required.length > 0 && { required: fields.required }),
      properties: fields.properties,
    },
    examples: [fields.example],
  };
  const id = idFrom(name);
  const read = readCustomModel(id, model);
  if (!read.ok)
    throw new ImportError(
      `the schema of ${name} cannot be expressed here: ${formatFaults(read.faults)}. Write the model by hand (docs/adding-a-model.md, Without a release).`,
    );
  return { id, model, route, notes: [...fields.notes, ...notes] };
}

/** The body of a route that sends every field under the name of the upstream. */
export const bodyOf = (fields: MappedFields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    mappedFieldNames(fields).map(([upstreamName, field]) => [upstreamName, `{input.${field}}`]),
  );

/** `fal-ai/nano-banana-2/edit` → `nano-banana-2-edit`: without the owner, in the letters of an id. */
function idFrom(name: string): string {
  const [, ...rest] = name.split(':', 1)[0]?.split('/') ?? [];
  const words = (rest.length > 0 ? rest.join('-') : name).toLowerCase();
  return words
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63);
}
