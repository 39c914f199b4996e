import { Agent, buildConnector, type FormData } from 'undici';
import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import type { Provider } from '../../domain/provider.ts';
import { type Outbound, openOutbound } from '../../media/outbound.ts';
import type { OpenedProvider } from './definition.ts';
import { type HttpResponse, RequestAborted, sendRequest } from './send-request.ts';

/** How every provider calls out: no redirects, no retries, bounded in time and bytes, the key to its own host alone. */
export interface Upstream {
  request(request: UpstreamRequest): Promise<UpstreamReply>;
  /** The path below the base of the account; null for an address elsewhere, which is never given the key. */
  pathOf(url: string): string | null;
  /** For results: the account's own host is trusted by configuration, every other address is judged. */
  readonly resultsClient: Outbound;
  close(): Promise<void>;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base of the account, with a slash at its front. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
  /** For name, connection, headers and the last byte of the answer together. */
  readonly timeoutMs: number;
  /** On a connection of its own: a reset is then never that of an idle connection which was closed meanwhile. */
  readonly isBillable?: boolean;
  /** More of an answer is never read. Default 4 MB: figures and addresses; more where results come inside it. */
  readonly maxAnswerBytes?: number;
  readonly signal?: AbortSignal;
}

export type UpstreamReply =
  /** `json` is undefined where the answer is no JSON, or was cut; `bytes` is null where it was cut. */
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

export interface UpstreamOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Sent to that base alone; made anew for every call where a token ends. */
  readonly headers: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** Never let out again, should the upstream repeat them. */
  readonly secrets: readonly string[];
  /** Whether results at the account's own host are asked for with its headers; default: they are open to whoever knows the address. */
  readonly authenticatesResults?: boolean;
  /** For addresses that upstreams write. */
  readonly outbound: Outbound;
}

const webUrl = z.url({ protocol: /^https?$/ });
const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** The address of an account, as `openUpstream` wants it. */
export const baseUrlSchema = () => webUrl.transform(withoutSlash);
/** The same where the operator need not write it. */
export const baseUrlWithDefault = (usual: string) => webUrl.default(usual).transform(withoutSlash);

/** What a provider that calls one upstream was opened as. */
export const toOpenedProvider = (upstream: Upstream, provider: Provider): OpenedProvider => ({
  provider,
  resultsClient: upstream.resultsClient,
  close: () => upstream.close(),
});

const connectTimeoutMs = 5 * seconds;
const defaultMaxAnswerBytes = 4 * 1024 * 1024;
const maxConnections = 64;
const maxHeaderBytes = 32 * 1024;

export function openUpstream(options: UpstreamOptions): Upstream {
  const { baseUrl, secrets, outbound, authenticatesResults = false } = options;
  const ownHeaders = () => (typeof options.headers === 'function' ? options.headers() : options.headers);
  const connectTo = buildConnector({ allowH2: false, timeout: connectTimeoutMs });
  const pool = new Agent({
    connect: connectTo,
    connections: maxConnections,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0, // The one deadline of a request stands for undici's several.
    bodyTimeout: 0,
  });
  const lanes = openSemaphore(maxConnections);
  const trusted = openOutbound({ allowPrivate: true });
  const { origin } = new URL(baseUrl);

  return {
    async request({
      method,
      path,
      headers = {},
      body,
      timeoutMs,
      isBillable = false,
      signal,
      maxAnswerBytes,
    }) {
      let isConnected = false;
      // Whoever waits for a connection does so before his time begins to run.
      const leave = isBillable ? null : await lanes.enter();
      const agent = isBillable ? openSingleUseAgent(connectTo, () => (isConnected = true)) : pool;
      const { pathname, search } = new URL(`${baseUrl}${path}`);
      const request = {
        origin,
        path: `${pathname}${search}`,
        method,
        headers: {
          'user-agent': 'Atelier',
          accept: 'application/json',
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
          ...headers,
          ...ownHeaders(),
          'accept-encoding': 'identity',
        },
        body: body ?? null,
      };
      try {
        const maxBytes = maxAnswerBytes ?? defaultMaxAnswerBytes;
        const {
          status,
          headers: told,
          bytes,
        } = await sendRequest(agent, request, { timeoutMs, maxBytes, signal });
        const json = bytes ? parseJson(bytes, secrets) : undefined;
        return { kind: 'answered', status, headers: joinHeaders(told), json, bytes };
      } catch (failure) {
        const reason = failure instanceof RequestAborted ? failure.message : describeFailure(failure);
        return isBillable && !isConnected ? { kind: 'unsent', reason } : { kind: 'broken', reason };
      } finally {
        leave?.();
        if (agent !== pool) void agent.destroy();
      }
    },
    pathOf(url) {
      const asked = URL.parse(url);
      if (asked?.origin !== origin || asked.username !== '' || asked.password !== '') return null;
      return asked.href.startsWith(`${baseUrl}/`) ? asked.href.slice(baseUrl.length) : null;
    },
    resultsClient: {
      request(url, request) {
        if (URL.parse(url)?.origin !== origin) return outbound.request(url, request);
        const headers = authenticatesResults ? { ...request.headers, ...ownHeaders() } : request.headers;
        return trusted.request(url, { ...request, ...(headers && { headers }) });
      },
      close: () => trusted.close(),
    },
    async close() {
      await trusted.close();
      await pool.destroy();
    },
  };
}

/** Lets so many in at a time, in the order in which they came. */
function openSemaphore(lanes: number): { enter(): Promise<() => void> } {
  const waiting: (() => void)[] = [];
  let free = lanes;
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    async enter() {
      if (free > 0) free -= 1;
      else await new Promise<void>(resolve => waiting.push(resolve));
      return leave;
    },
  };
}

/** An agent for one request, that tells when bytes may have left. */
function openSingleUseAgent(connectTo: buildConnector.connector, onConnected: () => void): Agent {
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

/** Undefined for what is no JSON. A key that is repeated in an error is not passed on. */
function parseJson(bytes: Buffer, secrets: readonly string[]): unknown {
  const text = secrets.reduce((told, secret) => told.replaceAll(secret, '(a secret)'), bytes.toString());
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const joinHeaders = (headers: HttpResponse['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

function describeFailure(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  return code === '' ? 'the connection failed' : `the connection failed (${code})`;
}
