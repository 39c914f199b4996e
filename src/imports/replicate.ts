/** A model of Replicate, or of any container that Cog built: the OpenAPI schema of its predictions. */

import { z } from 'zod';
import type { Kind } from '../catalog/model.ts';
import { outputsMember, titleOf } from './fal.ts';
import { ImportError } from './import-error.ts';
import { assembleModel, bodyOf, type ImportedModel } from './imported-model.ts';
import { openDocument } from './published-schema.ts';
import { readFields } from './read-fields.ts';
import { kindOfWords, readOutputs } from './read-outputs.ts';

/** The path of a model below the base of the API; a version has its own. */
export function replicateSchemaPath(name: string): string {
  const [model = '', version] = name.split(':');
  const path = `/models/${model.split('/').map(encodeURIComponent).join('/')}`;
  return version === undefined ? path : `${path}/versions/${encodeURIComponent(version)}`;
}

const text = z.string().nullish().catch(null);
/** A model with its newest version, or a version alone. */
const published = z.object({
  description: text,
  latest_version: z.object({ openapi_schema: z.unknown() }).nullish().catch(null),
  openapi_schema: z.unknown().optional(),
});

/** How the model is imported. */
export interface ReplicateImport {
  readonly kind: Kind | null;
  /** The address or file of the schema, for sentences. */
  readonly from: string;
}

/** Reads the answer of `GET /v1/models/OWNER/NAME`. Throws `ImportError`. */
export function importReplicate(name: string, json: unknown, { kind, from }: ReplicateImport): ImportedModel {
  const model = published.safeParse(json).data;
  const schema = model?.latest_version?.openapi_schema ?? model?.openapi_schema;
  if (!schema)
    throw new ImportError(
      `${from} has no openapi_schema: the model has no public version. Name one: OWNER/NAME:VERSION.`,
    );
  const description = model?.description ?? '';
  return importPredictions(
    { name, title: titleOf(name), summary: description || `${name} at Replicate.` },
    schema,
    { kind: kind ?? kindOfWords(`${name} ${description}`), from, route: { model: name } },
  );
}

/** Reads the document that a container answers at `/openapi.json`, which has the same shape. Throws `ImportError`. */
export function importPredictions(
  { name, title, summary }: { readonly name: string; readonly title: string; readonly summary: string },
  json: unknown,
  { kind, from, route }: ReplicateImport & { readonly route: ImportedModel['route'] },
): ImportedModel {
  const document = openDocument(json);
  const input = document.at('components', 'schemas', 'Input');
  if (!input)
    throw new ImportError(
      `${from} has no components.schemas.Input: it is not the schema of a Cog model. Other servers are imported with --operation PATH.`,
    );
  const fields = readFields(document, input);
  const results = readOutputs(document, document.at('components', 'schemas', 'Output'), {
    kind,
    prefix: 'output',
    name,
  });
  return assembleModel(
    { name, kind: results.kind, title, summary },
    fields,
    { ...route, body: bodyOf(fields), ...outputsMember(results.outputs) },
    results.notes,
  );
}
