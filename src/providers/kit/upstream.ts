/** How every provider calls its upstream: one client per account, bounded in time and bytes. */

import type { Agent, buildConnector, Dispatcher, FormData } from 'undici';
import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import { loadUndici } from '../../domain/lazy-packages.ts';
import type { Provider } from '../../domain/provider.ts';
import { openSemaphore, type Semaphore } from '../../domain/semaphore.ts';
import { type Outbound, openOutbound } from '../../media/outbound.ts';
import type { OpenedProvider } from './definition.ts';
import { type Exchange, type ObservedOutbound, withoutSecrets } from './exchange.ts';
import { type HttpResponse, RequestAborted, sendRequest } from './send-request.ts';

/** The HTTP client of one account: no redirects, no retries, and the key goes to the account's own host alone. */
export interface Upstream {
  /** Sends one request; never throws for a failure of the network. */
  request(request: UpstreamRequest): Promise<UpstreamReply>;
  /** The path below the base of the account; null for an address elsewhere, which is never given the key. */
  pathOf(url: string): string | null;
  /** Fetches results: the account's own host is trusted by configuration, every other address must be public. */
  readonly resultsClient: Outbound;
  /** Closes all connections, also of requests that still wait for their answer. */
  close(): Promise<void>;
}

/** One request to the upstream of an account. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base of the account, with a leading slash; may have a query. */
  readonly path: string;
  /** Beside those of the account, which win. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as `application/json`. */
  readonly body?: string | FormData;
  /** For DNS, connection, headers and the last byte of the answer together. */
  readonly timeoutMs: number;
  /** On a new connection: a reset is then never that of an idle connection which was closed in the meantime. */
  readonly isBillable?: boolean;
  /** Longest answer that is read, in bytes. Default 4 MB; more where results come inside the answer. */
  readonly maxAnswerBytes?: number;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/** What became of a request. */
export type UpstreamReply =
  /** `json` is undefined where the answer is not JSON, or was cut; `bytes` is null where it was cut. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly json: unknown;
      readonly bytes: Buffer | null;
    }
  /** Certain: no byte of the request left. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** Some of it may have arrived. */
  | { readonly kind: 'broken'; readonly reason: string };

/** A reply with a status, whatever it is. */
export type AnsweredReply = UpstreamReply & { readonly kind: 'answered' };

/** What `openUpstream` needs to know of an account. */
export interface UpstreamOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Sent to that base alone; a function where a token expires, called for every request. */
  readonly headers: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** Removed from every answer, should the upstream repeat them. */
  readonly secrets: readonly string[];
  /** Whether results at the account's own host need its headers. Default false: the address is enough. */
  readonly authenticatesResults?: boolean;
  /** For addresses that upstreams write; reports the calls of this client, where something listens. */
  readonly outbound: ObservedOutbound;
}

/** No other protocol is called, whatever the settings or an answer say. */
const webUrl = z.url({ protocol: /^https?$/ });
/** Paths begin with a slash, so a base has none at its end. */
const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** Schema of an account's address; removes trailing slashes, as `openUpstream` expects. */
export const baseUrlSchema = () => webUrl.transform(withoutSlash);
/** The same with a default, for services that have one public address. */
export const baseUrlWithDefault = (usual: string) => webUrl.default(usual).transform(withoutSlash);

/** The opened form of a provider that calls one upstream. */
export const toOpenedProvider = (upstream: Upstream, provider: Provider): OpenedProvider => ({
  provider,
  resultsClient: upstream.resultsClient,
  close: () => upstream.close(),
});

const connectTimeoutMs = 5 * seconds;
/** A free call that takes longer is repeated with the next poll or lookup. */
const queryTimeoutMs = 15 * seconds;
/** A status or a page of a list is far shorter; answers with results in them name a bound of their own. */
const defaultMaxAnswerBytes = 4 * 1024 * 1024;
/** To one host: free calls of an account wait for each other beyond that. */
const maxConnections = 64;
const maxHeaderBytes = 32 * 1024;

/** Sends a free call (a poll, a cancel, a lookup), which may be repeated; 15 seconds unless `more` says otherwise. */
export const query = (
  upstream: Upstream,
  method: UpstreamRequest['method'],
  path: string,
  more: Partial<UpstreamRequest> = {},
): Promise<UpstreamReply> => upstream.request({ method, path, timeoutMs: queryTimeoutMs, ...more });

/** The JSON of an answer with one of these statuses; undefined for every other reply and for JSON of another shape. */
export const readJson = <Schema extends z.ZodType>(
  reply: UpstreamReply,
  schema: Schema,
  statuses: readonly number[] = [200],
): z.output<Schema> | undefined =>
  reply.kind === 'answered' && statuses.includes(reply.status)
    ? schema.safeParse(reply.json).data
    : undefined;

/** Whether the upstream answered with 200 to 299. */
export const isSuccess = (reply: UpstreamReply): reply is AnsweredReply =>
  reply.kind === 'answered' && reply.status >= 200 && reply.status < 300;

/** An empty form, as the body of a request. */
export const newForm = (): FormData => new (loadUndici().FormData)();

/** Opens the client of one account. */
export function openUpstream(options: UpstreamOptions): Upstream {
  const { baseUrl, outbound, authenticatesResults = false } = options;
  const accountHeaders = () => (typeof options.headers === 'function' ? options.headers() : options.headers);
  const connections = openConnections();
  const trusted = openOutbound({ allowPrivate: true });
  const { origin } = new URL(baseUrl);

  return {
    request: async request => {
      const reply = await send(request, { ...options, accountHeaders, connections });
      outbound.onExchange?.(withoutSecrets(exchangeOf(request, reply), options));
      return reply;
    },
    pathOf: text => pathBelow(baseUrl, text),
    resultsClient: {
      request(url, request) {
        if (URL.parse(url)?.origin !== origin) return outbound.request(url, request);
        const headers = authenticatesResults ? { ...request.headers, ...accountHeaders() } : request.headers;
        return trusted.request(url, { ...request, ...(headers && { headers }) });
      },
      close: () => trusted.close(),
    },
    async close() {
      await trusted.close();
      await connections.pool.destroy();
    },
  };
}

/** What a recording has of a call. */
const exchangeOf = (
  { method, path, headers = {}, body }: UpstreamRequest,
  reply: UpstreamReply,
): Exchange => ({
  request: { method, path, headers, ...(body !== undefined && { body: recordedBody(body) }) },
  answer:
    reply.kind === 'answered'
      ? { status: reply.status, headers: reply.headers, body: reply.json ?? reply.bytes?.toString() ?? null }
      : { broken: reply.reason },
});

/** Forms have files, which are not kept. */
const recordedBody = (body: string | FormData): unknown =>
  typeof body === 'string' ? parseJson(Buffer.from(body), []) : '(a form with files)';

/** The path and query of an address below a base; null for one elsewhere, or with a user name in it. */
function pathBelow(baseUrl: string, text: string): string | null {
  const url = URL.parse(text);
  if (url?.origin !== new URL(baseUrl).origin || url.username !== '' || url.password !== '') return null;
  return url.href.startsWith(`${baseUrl}/`) ? url.href.slice(baseUrl.length) : null;
}

/** The connections of one account. */
interface Connections {
  readonly connectTo: buildConnector.connector;
  /** For free calls, which share connections. */
  readonly pool: Agent;
  /** Bounds the free calls that are sent at once. */
  readonly semaphore: Semaphore;
}

/** Opens the pool of an account. */
function openConnections(): Connections {
  const { Agent, buildConnector } = loadUndici();
  const connectTo = buildConnector({ allowH2: false, timeout: connectTimeoutMs });
  const pool = new Agent({
    connect: connectTo,
    connections: maxConnections,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0, // The one deadline of a request replaces undici's several.
    bodyTimeout: 0,
  });
  return { connectTo, pool, semaphore: openSemaphore(maxConnections) };
}

/** What a request needs of its account. */
interface SendContext extends Pick<UpstreamOptions, 'baseUrl' | 'secrets'> {
  readonly accountHeaders: () => Readonly<Record<string, string>>;
  readonly connections: Connections;
}

/** Sends one request, and reports whether bytes of it may have left. */
async function send(request: UpstreamRequest, context: SendContext): Promise<UpstreamReply> {
  const { isBillable = false, timeoutMs, signal, maxAnswerBytes: maxBytes = defaultMaxAnswerBytes } = request;
  const { connectTo, pool, semaphore } = context.connections;
  let isConnected = false;
  // The wait for a connection of the pool does not count towards the timeout.
  const release = isBillable ? null : await semaphore.acquire();
  const agent = isBillable ? openSingleUseAgent(connectTo, () => (isConnected = true)) : pool;
  try {
    const response = await sendRequest(agent, toDispatch(request, context), { timeoutMs, maxBytes, signal });
    const { status, headers, bytes } = response;
    const json = bytes ? parseJson(bytes, context.secrets) : undefined;
    return { kind: 'answered', status, headers: joinHeaders(headers), json, bytes };
  } catch (failure) {
    const reason = failure instanceof RequestAborted ? failure.message : describeFailure(failure);
    return isBillable && !isConnected ? { kind: 'unsent', reason } : { kind: 'broken', reason };
  } finally {
    release?.();
    if (agent !== pool) void agent.destroy();
  }
}

/** The request as undici takes it; the account's headers win. */
function toDispatch(
  { method, path, headers, body }: UpstreamRequest,
  { baseUrl, accountHeaders }: SendContext,
): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(`${baseUrl}${path}`);
  return {
    origin,
    path: `${pathname}${search}`,
    method,
    headers: {
      'user-agent': 'Atelier',
      accept: 'application/json',
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...headers,
      ...accountHeaders(),
      'accept-encoding': 'identity',
    },
    body: body ?? null,
  };
}

/** An agent for one request; reports when bytes of it may have been sent. */
function openSingleUseAgent(connectTo: buildConnector.connector, onConnected: () => void): Agent {
  const { Agent } = loadUndici();
  return new Agent({
    connect: (options, callback) =>
      connectTo(options, (...result) => {
        if (result[0] === null) onConnected();
        callback(...result);
      }),
    pipelining: 0,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** Undefined for what is not JSON. A secret that the upstream repeats in an error is not passed on. */
function parseJson(bytes: Buffer, secrets: readonly string[]): unknown {
  const text = secrets.reduce((masked, secret) => masked.replaceAll(secret, '(a secret)'), bytes.toString());
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Headers that came more than once become one text, as RFC 9110 (5.3) reads them. */
const joinHeaders = (headers: HttpResponse['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

/** A sentence for a failure of the network, without addresses. */
function describeFailure(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  return code === '' ? 'the connection failed' : `the connection failed (${code})`;
}
