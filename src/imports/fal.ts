/** A model of fal.ai, from the OpenAPI document that it publishes for each endpoint of its queue. */

import { z } from 'zod';
import type { Kind } from '../catalog/model.ts';
import { ImportError } from './import-error.ts';
import { assembleModel, bodyOf, type ImportedModel } from './imported-model.ts';
import { readFields } from './read-fields.ts';
import { openOpenapi, postPaths, readOperation } from './read-openapi.ts';
import { kindOfWords, readOutputs } from './read-outputs.ts';

/** Where the document of an endpoint is published. */
export const falSchemaUrl = (endpoint: string): string =>
  `https://fal.ai/api/openapi/queue/openapi.json?${new URLSearchParams({ endpoint_id: endpoint })}`;

const metadata = z.object({
  info: z.object({ 'x-fal-metadata': z.object({ endpointId: z.string(), category: z.string() }).partial() }),
});

/** Fields that a queued job has no use for. */
const skipped = { sync_mode: 'results are fetched by address, never inside the answer' };

/** Reads the model of an endpoint. Throws `ImportError`. */
export function importFal(
  endpoint: string,
  json: unknown,
  { kind, from }: { readonly kind: Kind | null; readonly from: string },
): ImportedModel {
  const document = openOpenapi(json, from);
  const { endpointId, category = '' } = metadata.safeParse(json).data?.info['x-fal-metadata'] ?? {};
  if (endpointId !== undefined && endpointId !== endpoint)
    throw new ImportError(
      `${from} is the schema of ${endpointId}, not of ${endpoint}: give the address or the file of that endpoint.`,
    );
  const path = postPaths(document).find(one => one === `/${endpoint}`) ?? postPaths(document)[0];
  if (path === undefined)
    throw new ImportError(
      `${from} has no operation that creates a request: ${endpoint} may be retired. See https://fal.ai/models/${endpoint}.`,
    );
  const { input, output, summary } = readOperation(document, path, `${path}/requests/{request_id}`);
  const fields = readFields(document, input, skipped);
  const results = readOutputs(document, output, { kind: kind ?? kindOfWords(category), name: endpoint });
  const route = { model: endpoint, body: bodyOf(fields), ...outputsMember(results.outputs) };
  const head = {
    name: endpoint,
    kind: results.kind,
    title: titleOf(endpoint),
    summary: summary.startsWith('Queue OpenAPI for') || summary === path ? `${endpoint} at fal.ai.` : summary,
  };
  return assembleModel(head, fields, route, results.notes);
}

/** `outputs` of a route, where there is something to declare. */
export const outputsMember = (outputs: readonly unknown[]): { readonly outputs?: readonly unknown[] } =>
  outputs.length > 0 ? { outputs } : {};

/** `fal-ai/nano-banana-2/edit` → `Nano banana 2 edit`. */
export function titleOf(name: string): string {
  const words = (name.split(':', 1)[0] ?? name)
    .split('/')
    .slice(name.includes('/') ? 1 : 0)
    .join(' ')
    .replace(/[-_ ]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
