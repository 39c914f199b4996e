/** A model of any server that publishes an OpenAPI document. */

import { z } from 'zod';
import type { Kind } from '../catalog/model.ts';
import { outputsMember } from './fal.ts';
import { ImportError } from './import-error.ts';
import { assembleModel, bodyOf, type ImportedModel } from './imported-model.ts';
import type { PublishedDocument } from './published-schema.ts';
import { readFields } from './read-fields.ts';
import { openOpenapi, postPaths, readOperation } from './read-openapi.ts';
import { kindOfWords, readOutputs } from './read-outputs.ts';
import { importPredictions } from './replicate.ts';

/** How a model of a server is imported. */
export interface OpenapiImport {
  readonly kind: Kind | null;
  /** The address or file of the document, for sentences. */
  readonly from: string;
  /** The path of the operation; null where the document has one. */
  readonly operation: string | null;
  /** The provider of the account that the route leads to. */
  readonly provider: string;
}

const gatewayPath = /^\/v1\/queue\/([^/{}]+)$/;

/** Reads the model of an operation, for an account of that provider. Throws `ImportError`. */
export function importOpenapi(json: unknown, options: OpenapiImport): ImportedModel {
  const { from, provider, kind } = options;
  const document = openOpenapi(json, from);
  if (provider === 'cog') {
    const title = titleIn(json);
    const summary = `${title}, a container built by Cog.`;
    const words = kind ?? kindOfWords(title);
    return importPredictions({ name: title, title, summary }, json, { kind: words, from, route: {} });
  }
  const path = operationOf(document, options);
  const { input, output, title, summary } = readOperation(document, path, null);
  const name = gatewayPath.exec(path)?.[1] ?? title;
  const fields = readFields(document, input, {
    ...(provider === 'relay' && { callback_url: ownField, external_task_id: ownField }),
    model: 'the route names the model',
  });
  const known = kind ?? kindOfWords(`${path} ${title}`);
  // The answers of a queue and of a generation call are read by the provider.
  const results = readOutputs(document, provider === 'declarative' ? output : undefined, {
    kind: known,
    name,
  });
  const head = { name, kind: results.kind, title, summary };
  if (provider === 'relay') return assembleModel(head, fields, { model: name });
  const route = {
    path,
    body: bodyOf(fields),
    ...(provider !== 'declarative' && outputsMember(results.outputs)),
  };
  return assembleModel(head, fields, route, results.notes);
}

const ownField = 'every model has it';

/** The operation that the operator names, or the only one. */
function operationOf(document: PublishedDocument, { operation, from }: OpenapiImport): string {
  if (operation !== null) return operation;
  const [only, ...others] = postPaths(document);
  if (only === undefined)
    throw new ImportError(
      `${from} has no operation with a JSON body: nothing in it can be a model. Give another document.`,
    );
  if (others.length > 0)
    throw new ImportError(
      `${from} has several operations: name one with --operation. There are: ${[only, ...others].slice(0, 40).join(', ')}.`,
    );
  return only;
}

const described = z.object({ info: z.object({ title: z.string().min(1) }) });
const titleIn = (json: unknown): string => described.safeParse(json).data?.info.title ?? 'model';
