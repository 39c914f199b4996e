/** What calls of every model share: the description of the model, headers, errors and the bytes of results. */

import { APICallError, type JSONObject } from '@ai-sdk/provider';
import { type Client, GatewayError, type ModelDescription, type ResultFile } from 'atelier-client';

/** Whose options and metadata these are: the key in `providerOptions` and `providerMetadata`. */
export const providerName = 'atelier';

/** One gateway, as the models use it. */
export interface Gateway {
  readonly client: Client;
  /** The description of a model, read once. */
  readonly describe: (modelId: string, signal: AbortSignal | undefined) => Promise<ModelDescription>;
  readonly fetch: typeof globalThis.fetch;
  readonly baseUrl: string;
}

type Headers = Readonly<Record<string, string | undefined>> | undefined;

const downloadTimeoutMs = 600_000;

/** Descriptions are kept while the provider lives; a failure is not. */
export function openDescriptions({ models }: Client): Gateway['describe'] {
  const known = new Map<string, ModelDescription>();
  return async (modelId, signal) => {
    const found = known.get(modelId) ?? (await models.get(modelId, { signal }));
    known.set(modelId, found);
    return found;
  };
}

/** The fields of the model itself: `providerOptions.atelier`. */
export const ownFields = (options: Readonly<Record<string, JSONObject>> | undefined): JSONObject =>
  options?.[providerName] ?? {};

/** The SDK gives each start a key of its own, and a caller may, too. */
export function idempotencyOf(headers: Headers): { readonly idempotencyKey?: string } {
  const key = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
  return key === undefined ? {} : { idempotencyKey: key };
}

/** The job of a call, once it has ended; cancelled where the caller aborts. */
export const finishedJob = (
  { client }: Gateway,
  modelId: string,
  input: Readonly<Record<string, unknown>>,
  { headers, abortSignal }: { readonly headers?: Headers; readonly abortSignal?: AbortSignal | undefined },
) =>
  client.subscribe(modelId, { input, ...idempotencyOf(headers), signal: abortSignal, cancelOnAbort: true });

/** What the SDK shows of an answer. */
export const responseOf = (modelId: string) => ({ timestamp: new Date(), modelId, headers: undefined });

/**
 * Runs a call; errors of the gateway become those of the SDK. They are never repeated by the SDK: the client has done
 * that already where it is safe, under one key.
 */
export async function called<Result>(
  { baseUrl }: Gateway,
  input: unknown,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (failure) {
    if (!(failure instanceof GatewayError) || failure.kind === 'abort') throw failure;
    throw new APICallError({
      message: failure.message,
      url: baseUrl,
      requestBodyValues: input,
      ...(failure.status !== undefined && { statusCode: failure.status }),
      ...(failure.body !== undefined && { responseBody: JSON.stringify(failure.body) }),
      data: { code: failure.code, requestId: failure.requestId, jobId: failure.jobId },
      cause: failure,
      isRetryable: false,
    });
  }
}

/** The bytes of a file of a result. Throws where it was deleted, or came incomplete. */
export async function bytesOf(
  { fetch }: Gateway,
  { url, file_name, file_size }: ResultFile,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  if (url === null) throw new Error(`expected the file ${file_name} of the result, but it was deleted`);
  const timeout = AbortSignal.timeout(downloadTimeoutMs);
  const response = await fetch(url, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
  if (!response.ok) throw new Error(`expected the file ${file_name} of the result, got ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length !== file_size)
    throw new Error(`expected ${file_size} bytes of ${file_name}, got ${bytes.length}`);
  return bytes;
}
