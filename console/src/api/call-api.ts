import { parseJson, toJson } from './lossless-json.ts';

/** Where the gateway is, whatever a proxy puts before it: the page stands one folder below. */
export const gatewayRoot = new URL('../', document.baseURI);

/** An answer that is not success. Its message is fit for a person. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Paths of an input that are at fault. */
  readonly fields: readonly string[];

  constructor(message: string, status: number, fields: readonly string[] = []) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

/** Writes of a session carry it; it lives as long as the page. */
let csrfToken = '';
export const keepCsrfToken = (token: string | null): void => {
  csrfToken = token ?? '';
};

export interface CallOptions {
  /** Sent as JSON, unless it is a form. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One call of the admin API, under `admin/v1/`. */
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

function apiErrorOf(answer: Response, text: string): ApiError {
  const fields = (answer.headers.get('x-error-fields') ?? '').split(',').filter(field => field !== '');
  return new ApiError(
    sentenceOf(text) ?? `The gateway answered ${answer.status}.`,
    answer.status,
    fields.map(decode),
  );
}

const decode = (field: string): string => {
  try {
    return decodeURIComponent(field);
  } catch {
    return field;
  }
};

/** The contract has three bodies for what is not success. */
function sentenceOf(text: string): string | null {
  try {
    const body: { detail?: string; error?: { message?: string } } = JSON.parse(text);
    return body.detail ?? body.error?.message ?? null;
  } catch {
    return null;
  }
}

/** A query without what is not set. */
export function queryOf(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const set = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const query = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? '' : `?${query}`;
}

/** The address of a file's bytes, from what the admin API said. */
export const fileAddress = (url: string): string => new URL(url, gatewayRoot).href;
