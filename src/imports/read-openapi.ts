/** The input and the output of one operation of an OpenAPI document. */

import { z } from 'zod';
import { ImportError } from './import-error.ts';
import { openDocument, type PublishedDocument, type SchemaNode } from './published-schema.ts';

/** What is read of an operation. */
export interface PublishedOperation {
  readonly document: PublishedDocument;
  /** Such as `/v1/images/generations`. */
  readonly path: string;
  readonly input: SchemaNode;
  /** Undefined where the document does not describe the answer. */
  readonly output: SchemaNode | undefined;
  readonly title: string;
  readonly summary: string;
}

const paths = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const text = z.string().optional().catch(undefined);
const info = z.object({
  info: z.looseObject({ title: text, description: text }).optional().catch(undefined),
});
const operation = z.object({ summary: text, description: text });

/** Opens a document that a vendor publishes. Throws `ImportError` for anything that is no OpenAPI document. */
export function openOpenapi(json: unknown, from: string): PublishedDocument {
  if (!paths.safeParse(json).success)
    throw new ImportError(
      `${from} is not an OpenAPI document: it has no paths. Give the address of the document itself, usually …/openapi.json.`,
    );
  return openDocument(json);
}

/** The paths that take a JSON body by POST. */
export const postPaths = (document: PublishedDocument): readonly string[] =>
  Object.keys(paths.parse(document.root).paths).filter(path => inputAt(document, path) !== undefined);

const inputAt = (document: PublishedDocument, path: string): SchemaNode | undefined =>
  document.at('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema');

const outputAt = (document: PublishedDocument, path: string, method: string): SchemaNode | undefined =>
  ['200', '201', 'default']
    .map(status =>
      document.at('paths', path, method, 'responses', status, 'content', 'application/json', 'schema'),
    )
    .find(schema => schema !== undefined);

/**
 * Reads the operation at a path. `resultPath` is the GET that answers the result, where the POST answers a handle; null
 * where the POST answers it.
 */
export function readOperation(
  document: PublishedDocument,
  path: string,
  resultPath: string | null,
): PublishedOperation {
  const input = inputAt(document, path);
  if (!input)
    throw new ImportError(
      `POST ${path} is not in the document, or takes no JSON body. There are: ${postPaths(document).join(', ') || 'none'}.`,
    );
  const about = operation.safeParse(document.at('paths', path, 'post')).data;
  const { title, description } = info.safeParse(document.root).data?.info ?? {};
  return {
    document,
    path,
    input,
    output: resultPath === null ? outputAt(document, path, 'post') : outputAt(document, resultPath, 'get'),
    title: about?.summary ?? title ?? path,
    summary: about?.description ?? description ?? about?.summary ?? title ?? path,
  };
}
