/** The catalog: all models of this gateway, by id. */

import { z } from 'zod';
import type { JobResult } from '../domain/job.ts';
import { defineModel, type Kind, type Model } from './model.ts';

/** The models there are: those of the contract, and beside them those of the operator. */
export interface Catalog {
  /** Those of the contract first. */
  readonly all: readonly Model[];
  /** Null where there is no such model. */
  find(id: string): Model | null;
}

export function openCatalog(all: readonly Model[]): Catalog {
  const byId = new Map(all.map(model => [model.id, model]));
  return { all, find: id => byId.get(id) ?? null };
}

/** The model of a job that is kept: an operator may have taken it away since, and what was made stays readable. */
export const modelOfJob = (
  catalog: Catalog,
  { modelId, result }: { readonly modelId: string; readonly result: JobResult | null },
): Model => catalog.find(modelId) ?? removedModel(modelId, kindOf(result));

/** The core keys of a result are all that can be told without the model. */
const removedModel = (id: string, kind: Kind): Model =>
  defineModel({
    id,
    kind,
    family: 'own',
    title: id,
    summary: '',
    input: z.looseObject({}),
    render: () => {
      throw new Error(`expected a model, got ${id}, which is gone`);
    },
    native: () => ({}),
    examples: [{}],
  });

function kindOf(result: JobResult | null): Kind {
  const [type] = result?.outputs.find(({ role }) => role === 'primary')?.mimeType.split('/') ?? [];
  if (type === 'video' || type === 'image') return type;
  return 'speech';
}
