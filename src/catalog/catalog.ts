/** The catalog: all models of this gateway, by id. */

import { z } from 'zod';
import type { JobResult } from '../domain/job.ts';
import { defineModel, type Kind, type Model } from './model.ts';

/** The models of this gateway: those of the contract, and the operator's custom models. */
export interface Catalog {
  /** The models of the contract first. */
  readonly all: readonly Model[];
  /** Null where there is no such model. */
  find(id: string): Model | null;
}

/** A catalog of these models. */
export function openCatalog(all: readonly Model[]): Catalog {
  const byId = new Map(all.map(model => [model.id, model]));
  return { all, find: id => byId.get(id) ?? null };
}

/** The model of a stored job. Its results stay readable after an operator removed a custom model. */
export const modelOfJob = (
  catalog: Catalog,
  { modelId, result }: { readonly modelId: string; readonly result: JobResult | null },
): Model => catalog.find(modelId) ?? removedModel(modelId, kindOf(result));

/** A stand-in for a removed model: a result then has the core keys only. */
const removedModel = (id: string, kind: Kind): Model =>
  defineModel({
    id,
    kind,
    family: 'own',
    title: id,
    summary: '',
    input: z.looseObject({}),
    render: () => {
      throw new Error(`expected a model, got ${id}, which was removed`);
    },
    native: () => ({}),
    examples: [{}],
  });

/** The kind of a result, from the media type of its first file. */
function kindOf(result: JobResult | null): Kind {
  const [type] = result?.outputs.find(({ role }) => role === 'primary')?.mimeType.split('/') ?? [];
  if (type === 'video' || type === 'image') return type;
  return 'speech';
}
