/** Sends requests to the gateway, with retries where they are safe. */

import { GatewayError } from './errors.ts';
import { fromJson, toJson } from './json.ts';
import { readFailure } from './read-failure.ts';
import { isTimeout, jittered, limited, pause } from './waits.ts';

/** How the client reaches its gateway. */
export interface ClientOptions {
  /** Where the gateway is, as `https://gateway.example.com`. */
  readonly baseUrl: string;
  /** The key, or what gives it before each call. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Most retries of a call; 4 by default. */
  readonly maxRetries?: number;
  /** Timeout of one attempt; 60 seconds by default, ten minutes for an upload. */
  readonly timeoutMs?: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, and every wait within it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * After which failures a call is retried.
 * `read`: it changes nothing, so after any. `keyed`: a repetition is known as one, so after any that may pass.
 * `refused`: a repetition would do it twice, so only where the answer says that nothing was done.
 */
export type Repeatable = 'read' | 'keyed' | 'refused';

/** One request. */
export interface Ask extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the base address, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a form. */
  readonly body?: unknown;
  readonly repeatable: Repeatable;
  /** Instead of the client's own. */
  readonly timeoutMs?: number;
  /** Statuses of 400 and more that are an answer nevertheless. */
  readonly alsoGood?: readonly number[];
}

/** A good answer; `body` is parsed JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends a request, and retries it where that is safe; every refusal is thrown as a GatewayError. */
export type Exchange = (request: Ask) => Promise<Reply>;

/** Repetitions of a request that may be repeated, beside the first try. */
const usualRetries = 4;
/** Bound of the retries of a read, whatever `maxRetries` is. */
const maxReadRetries = 5;
/** For one try. */
const usualTimeoutMs = 60_000;
/** The pause before the first repetition. A failure with a wait beyond the longest is thrown at once. */
const firstPauseMs = 250;
const longestPauseMs = 60_000;

/** The transport of one client. Throws a TypeError for an invalid address. */
export function openExchange(options: ClientOptions): Exchange {
  const base = baseOf(options.baseUrl);
  return async request => {
    const most = mostRetries(options, request);
    // Written once, so that a retry has the same bytes.
    const body = bodyOf(request.body);
    for (let retries = 0; ; retries++) {
      const answered = await sendOnce(options, base, request, body);
      if (!(answered instanceof GatewayError)) return answered;
      const pauseMs = answered.retryAfterMs ?? jittered(firstPauseMs * 2 ** retries);
      if (retries >= most || !mayRepeat(request.repeatable, answered) || pauseMs > longestPauseMs)
        throw answered;
      await pause(pauseMs, request.signal);
    }
  };
}

function baseOf(address: string): string {
  if (/^https?:\/\/[^/?#]+[^?#]*$/.test(address)) return address.replace(/\/+$/, '');
  throw new TypeError(`baseUrl must be an http or https address without a query, got ${address}`);
}

function mostRetries({ maxRetries = usualRetries }: ClientOptions, { repeatable }: Ask): number {
  return repeatable === 'read' ? Math.min(maxRetries, maxReadRetries) : maxRetries;
}

function mayRepeat(repeatable: Repeatable, { kind, status = 0 }: GatewayError): boolean {
  if (kind === 'abort') return false;
  if (repeatable === 'refused') return [429, 503].includes(status);
  if (kind === 'network' || kind === 'timeout') return true;
  return repeatable === 'read' ? status === 429 || status >= 500 : [429, 502, 503, 504].includes(status);
}

interface Body {
  readonly content: BodyInit;
  readonly headers: Readonly<Record<string, string>>;
}

function bodyOf(body: unknown): Body | null {
  if (body === undefined) return null;
  if (body instanceof FormData) return { content: body, headers: {} };
  return { content: toJson(body), headers: { 'content-type': 'application/json' } };
}

/** Returns a failure instead of throwing it, because the caller may retry. */
async function sendOnce(
  { fetch = globalThis.fetch, apiKey, timeoutMs = usualTimeoutMs }: ClientOptions,
  base: string,
  request: Ask,
  body: Body | null,
): Promise<Reply | GatewayError> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  const limit = limited(request.signal, request.timeoutMs ?? timeoutMs);
  try {
    limit.signal.throwIfAborted();
    const response = await fetch(base + request.path, {
      method: request.method,
      headers: { authorization: `Bearer ${key}`, ...body?.headers, ...request.headers },
      ...(body && { body: body.content }),
      signal: limit.signal,
    });
    return readReply(response, await response.text(), request, base);
  } catch (failure) {
    return unanswered(failure, request, limit.signal, base);
  } finally {
    limit.end();
  }
}

function readReply(
  { status, headers, ok }: Response,
  text: string,
  { alsoGood = [], method, path }: Ask,
  base: string,
): Reply | GatewayError {
  const body = readText(text);
  if (!ok && !alsoGood.includes(status)) return readFailure({ status, headers, body });
  if (typeof body === 'object' && body !== null) return { status, headers, body };
  return new GatewayError(
    `${method} ${path} was not answered with JSON. Is ${base} the address of a gateway?`,
    {
      kind: 'gateway',
      status,
      body,
    },
  );
}

function readText(text: string): unknown {
  try {
    return fromJson(text);
  } catch {
    return text;
  }
}

function unanswered(failure: unknown, { method, path, signal }: Ask, ended: AbortSignal, base: string) {
  const call = `${method} ${path.split('?', 1)[0]}`;
  if (signal?.aborted) return interrupted(signal);
  if (ended.aborted)
    return new GatewayError(`${call} took too long`, { kind: 'timeout', retryable: true, cause: failure });
  return new GatewayError(`${call} got no answer from ${base}: ${reasonOf(failure)}`, {
    kind: 'network',
    retryable: true,
    cause: failure,
  });
}

/** The caller's signal ended the call: by a time that ran out, or for a reason of its own. */
function interrupted({ reason }: AbortSignal): GatewayError {
  return isTimeout(reason)
    ? new GatewayError('The deadline has passed', { kind: 'timeout', cause: reason })
    : new GatewayError('The call was aborted', { kind: 'abort', cause: reason });
}

/** Some platforms say why only in the cause. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { cause } = failure;
  return cause instanceof Error && cause.message !== '' ? cause.message : failure.message;
}
