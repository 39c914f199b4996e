/** One call of the admin API: session, CSRF token, JSON, and errors with the sentence of the gateway. */
import { parseJson, toJson } from './lossless-json.ts';

/** Where the gateway is, whatever a proxy puts before it: the page stands one folder below. */
export const gatewayRoot = new URL('../', document.baseURI);

/** An answer that is not success. Its message is the sentence of the gateway, fit to be shown. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Of HTTP; 0 where the gateway did not answer. */
  readonly status: number;
  /** Paths of the input that are at fault, such as `settings.duration`. */
  readonly fields: readonly string[];

  constructor(message: string, status: number, fields: readonly string[] = []) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

/** Sent with every write of the session. Kept in memory only, so another page cannot read it. */
let csrfToken = '';
/** Stores the token of a new session; null after a logout. */
export const keepCsrfToken = (token: string | null): void => {
  csrfToken = token ?? '';
};

/** The variable parts of a call. */
export interface CallOptions {
  /** Sent as JSON, or as multipart where it is a FormData. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Calls `admin/v1/<path>` and resolves to the parsed body. Throws an ApiError for every answer that is not 2xx and where
 * there is no answer; throws the reason of the signal where the call was aborted.
 */
export async function callApi<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, signal, headers = {} }: CallOptions = {},
): Promise<T> {
  const isForm = body instanceof FormData;
  const answer = await fetch(new URL(`admin/v1/${path}`, gatewayRoot), {
    method,
    ...(signal && { signal }),
    headers: {
      // The gateway refuses a write without the token of its session.
      ...(method !== 'GET' && { 'x-csrf-token': csrfToken }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : toJson(body) }),
  }).catch(failure => {
    if (signal?.aborted) throw failure;
    throw new ApiError('The gateway does not answer. Is it running, and is this device online?', 0);
  });
  const text = await answer.text();
  if (!answer.ok) throw apiErrorOf(answer, text);
  return parseJson(text);
}

/** `x-error-fields` lists the paths at fault, comma separated. */
function apiErrorOf(answer: Response, text: string): ApiError {
  const fields = (answer.headers.get('x-error-fields') ?? '').split(',').filter(field => field !== '');
  return new ApiError(
    sentenceOf(text) ?? `The gateway answered ${answer.status}.`,
    answer.status,
    fields.map(decode),
  );
}

/** Field paths are percent-encoded in the header, which carries ASCII only. */
const decode = (field: string): string => {
  try {
    return decodeURIComponent(field);
  } catch {
    return field;
  }
};

/** The contract has three error bodies: `detail`, `error.message`, and a bare text. Null for the last. */
function sentenceOf(text: string): string | null {
  try {
    const body: { detail?: string; error?: { message?: string } } = JSON.parse(text);
    return body.detail ?? body.error?.message ?? null;
  } catch {
    return null;
  }
}

/** `?name=value&…` without the values that are not set; empty where none is. */
export function queryOf(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const set = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const query = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? '' : `?${query}`;
}

/** The address of the bytes of a file; the admin API gives it relative to the gateway. */
export const fileAddress = (url: string): string => new URL(url, gatewayRoot).href;
