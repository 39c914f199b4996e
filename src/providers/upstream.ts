import { Agent, buildConnector, type Dispatcher, type FormData, request as send } from 'undici';
import { seconds } from '../domain/clock.ts';
import { BodyFailed, bindBody } from '../media/bounded-body.ts';
import { type Outbound, openOutbound } from '../media/connect.ts';

/** How every provider calls out: no redirects, no retries, bounded in time and bytes, the key to its own host alone. */
export interface Upstream {
  ask(request: UpstreamRequest): Promise<UpstreamReply>;
  /** For results: the account's own host is trusted by configuration, every other address is judged. */
  readonly results: Outbound;
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
  readonly signal?: AbortSignal;
}

export type UpstreamReply =
  /** `json` is undefined where the answer is no JSON, or was cut. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly json: unknown;
    }
  /** Certain: no byte of the request left. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** Some of it may have arrived. */
  | { readonly kind: 'broken'; readonly reason: string };

export interface UpstreamOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Sent to that base alone. */
  readonly headers: Readonly<Record<string, string>>;
  /** For addresses that upstreams write. */
  readonly outbound: Outbound;
}

const connectTimeoutMs = 5 * seconds;
/** Answers are figures and addresses; media come by address. */
const maxAnswerBytes = 4 * 1024 * 1024;
const maxConnections = 64;
const maxHeaderBytes = 32 * 1024;

export function openUpstream({ baseUrl, headers: own, outbound }: UpstreamOptions): Upstream {
  const connectTo = buildConnector({ allowH2: false, timeout: connectTimeoutMs });
  const pool = new Agent({
    connect: connectTo,
    connections: maxConnections,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0, // The one deadline of a request stands for undici's several.
    bodyTimeout: 0,
  });
  const lanes = openLanes(maxConnections);
  const trusted = openOutbound({ allowPrivate: true });
  const { origin } = new URL(baseUrl);

  return {
    async ask({ method, path, headers = {}, body, timeoutMs, isBillable = false, signal }) {
      let isConnected = false;
      // Whoever waits for a connection does so before his time begins to run.
      const leave = isBillable ? null : await lanes.enter();
      const agent = isBillable ? openOnce(connectTo, () => (isConnected = true)) : pool;
      const ends = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
      try {
        const answer = await send(`${baseUrl}${path}`, {
          dispatcher: agent,
          method,
          headers: {
            'user-agent': 'Atelier',
            accept: 'application/json',
            ...(typeof body === 'string' && { 'content-type': 'application/json' }),
            ...headers,
            ...own,
            'accept-encoding': 'identity',
          },
          body: body ?? null,
          signal: ends,
        });
        const json = await readJson(answer, ends);
        return { kind: 'answered', status: answer.statusCode, headers: joinHeaders(answer.headers), json };
      } catch (failure) {
        const reason = ends.aborted ? 'no answer came in time' : sayWhy(failure);
        return isBillable && !isConnected ? { kind: 'unsent', reason } : { kind: 'broken', reason };
      } finally {
        leave?.();
        if (agent !== pool) void agent.destroy();
      }
    },
    results: {
      request: (url, request) =>
        (URL.parse(url)?.origin === origin ? trusted : outbound).request(url, request),
      close: () => trusted.close(),
    },
    async close() {
      await trusted.close();
      await pool.destroy();
    },
  };
}

/** Lets so many in at a time, in the order in which they came. */
function openLanes(lanes: number): { enter(): Promise<() => void> } {
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
function openOnce(connectTo: buildConnector.connector, onConnected: () => void): Agent {
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

/** Undefined for what is no JSON, breaks off or passes the bound: the status alone has been said then. */
async function readJson({ body }: Dispatcher.ResponseData, ends: AbortSignal): Promise<unknown> {
  const bound = bindBody(body, {
    maxBytes: maxAnswerBytes,
    release: () => {},
    sayWhy: () => (ends.aborted ? 'too slow' : 'broke off'),
  });
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bound) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch (failure) {
    if (failure instanceof BodyFailed || failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}

const joinHeaders = (headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

function sayWhy(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  return code === '' ? 'the connection failed' : `the connection failed (${code})`;
}
