/** HTTP requests to URLs of clients and upstreams: validated, pinned to the checked address, bounded in time and size. */
import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { seconds } from '../domain/clock.ts';
import { loadUndici } from '../domain/lazy-packages.ts';
import { checkUrl, isPublicAddress } from './address-guard.ts';
import { type BoundedBody, openBoundedBody } from './bounded-body.ts';
import { LookupFailed, type Resolve } from './name-resolver.ts';

export type { Resolve } from './name-resolver.ts';

/** A client whose every request is guarded by `address-guard.ts`. */
export interface Outbound {
  /** Sends one request; redirects are not followed. Never rejects. */
  request(url: string, request: OutboundRequest): Promise<OutboundAnswer>;
  /** Aborts requests in flight. */
  close(): Promise<void>;
}

/** One request of ours to another host; redirects are never followed by it. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** For the whole request, from the DNS lookup to the last byte of the body, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum size of the response body. */
  readonly maxBytes: number;
  /** Whose fair share of DNS lookups is used: a user id. Absent: one share for all such requests. */
  readonly share?: string;
}

/** Every HTTP status is `answered`, also errors. */
export type OutboundAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Names in lower case; repeated ones joined by a comma. */
      readonly headers: Readonly<Record<string, string>>;
      /** Must be read or discarded; until then the connection stays open, at most until the timeout. */
      readonly body: BoundedBody;
    }
  /** Nothing was sent. The reason is a sentence that may be shown to the sender of the URL. */
  | { readonly kind: 'refused_address'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Of all requests of one client. */
export interface OutboundOptions {
  readonly allowPrivate: boolean;
  /** Default: the operating system's resolver. */
  readonly resolve?: Resolve;
}

/** For one address of a name, so that an unresponsive one leaves time for the next. */
const connectTimeoutMs = 5 * seconds;
/** Addresses of a name that are tried. */
const maxTriedAddresses = 4;
/** Of an answer. */
const maxHeaderBytes = 16 * 1024;

/** Connections are not reused between requests. */
export function openOutbound({ allowPrivate, resolve = resolveWithSystem }: OutboundOptions): Outbound {
  const closing = new AbortController();
  const open = new Set<Agent>();

  return {
    async request(text, { method, headers = {}, body, signal, timeoutMs, maxBytes, share = '' }) {
      const verdict = checkUrl(text, { allowPrivate });
      if (!verdict.ok) return { kind: 'refused_address', reason: verdict.reason };
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(new RequestAborted('The request timed out.')), timeoutMs);
      const stop = () => ending.abort(new RequestAborted('The request was aborted.'));
      const stops = [signal, closing.signal].filter(each => each !== undefined);
      for (const each of stops) {
        if (each.aborted) stop();
        each.addEventListener('abort', stop, { once: true });
      }
      const { Agent, request: send } = loadUndici();
      // One agent per request: no connection is reused for a request it was not validated for, and the connector
      // observes the deadline, which the queue of a shared agent would not.
      const agent = new Agent({
        connect: openGuardedConnector(ending.signal, allowPrivate, name =>
          resolve(name, { share, signal: ending.signal }),
        ),
        pipelining: 0,
        headersTimeout: 0, // The deadline above replaces undici's timeouts.
        bodyTimeout: 0,
        maxHeaderSize: maxHeaderBytes,
      });
      open.add(agent);
      const release = () => {
        clearTimeout(timer);
        for (const each of stops) each.removeEventListener('abort', stop);
        open.delete(agent);
        void agent.destroy();
      };
      ending.signal.addEventListener('abort', release, { once: true });
      try {
        const answer = await untilAborted(
          ending.signal,
          send(verdict.url, {
            dispatcher: agent,
            method,
            headers: { 'user-agent': 'Atelier', accept: '*/*', ...headers, 'accept-encoding': 'identity' },
            body: body ?? null,
            signal: ending.signal,
          }),
        );
        return {
          kind: 'answered',
          status: answer.statusCode,
          headers: joinHeaders(answer.headers),
          body: openBoundedBody(answer.body, {
            maxBytes,
            release,
            describeError: error => describeError(ending.signal, error, 'The response ended early.'),
          }),
        };
      } catch (error) {
        release();
        if (error instanceof AddressRefused) return { kind: 'refused_address', reason: error.message };
        return { kind: 'failed', reason: describeError(ending.signal, error, 'The connection failed.') };
      }
    },

    async close() {
      closing.abort();
      await Promise.all([...open].map(agent => agent.destroy()));
    },
  };
}

/** Its message may be shown to clients. */
class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/** The host resolved to an address that must not be called. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Resolves the name once, checks all its addresses and connects to one of exactly those, so that a name that changes
 * between check and connection (DNS rebinding) has no effect. A `lookup` option would not do: it is not called for
 * numeric addresses.
 */
function openGuardedConnector(
  signal: AbortSignal,
  allowPrivate: boolean,
  resolve: (hostname: string) => Promise<readonly string[]>,
): buildConnector.connector {
  const options = { allowH2: false, maxCachedSessions: 0, timeout: connectTimeoutMs };
  const connectTo = loadUndici().buildConnector(options);

  async function connect(options: buildConnector.Options): Promise<Socket> {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) ? [host] : await untilAborted(signal, resolve(host));
    if (addresses.length === 0) throw new RequestAborted('The name of the address is not known.');
    // One internal address among public ones is enough to refuse: that name is hostile.
    if (!addresses.every(isAllowed)) throw new AddressRefused('The address is not a public one.');
    let failure: unknown;
    for (const address of addresses.slice(0, maxTriedAddresses)) {
      try {
        return await connectPinned(options, host, address);
      } catch (error) {
        if (error instanceof AddressRefused || signal.aborted) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  function connectPinned(options: buildConnector.Options, host: string, address: string): Promise<Socket> {
    return new Promise((done, fail) => {
      if (signal.aborted) return fail(signal.reason);
      // The certificate is verified against the name, though the connection goes to the address.
      const servername = options.protocol === 'https:' && !isIP(host) ? host.replace(/\.$/, '') : undefined;
      const pinned = { ...options, hostname: address, ...(servername && { servername }) };
      const socket = connectTo(pinned, (error, connected) => {
        signal.removeEventListener('abort', stop);
        if (error) return fail(error);
        if (isAllowed(connected.remoteAddress ?? '')) return done(connected);
        connected.destroy();
        fail(new AddressRefused('The address is not a public one.'));
      }) as unknown;
      function stop() {
        if (isSocket(socket)) socket.destroy();
        fail(signal.reason);
      }
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  function isAllowed(address: string): boolean {
    return allowPrivate || isPublicAddress(address);
  }

  return (options, callback) => {
    connect(options).then(
      socket => callback(null, socket),
      error => callback(error, null),
    );
  };
}

/** undici's types omit that a connector returns its socket. */
function isSocket(value: unknown): value is Pick<Socket, 'destroy'> {
  return typeof value === 'object' && value !== null && 'destroy' in value;
}

async function resolveWithSystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

/** Rejects with the signal's reason even where the awaited work cannot be cancelled. */
function untilAborted<T>(signal: AbortSignal, waited: Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const stop = () => fail(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    waited.then(done, fail).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A sentence for clients: the message of a socket error may contain internal addresses. */
function describeError(signal: AbortSignal, error: unknown, otherwise: string): string {
  if (signal.aborted && signal.reason instanceof RequestAborted) return signal.reason.message;
  if (error instanceof RequestAborted || error instanceof LookupFailed) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (nameErrors.has(code)) return 'The name of the address is not known.';
  if (/CERT|TLS|SSL|ISSUER|SIGNATURE/.test(code)) return 'No secure connection could be made.';
  if (/^(UND_ERR_HEADERS_OVERFLOW|HPE_)/.test(code)) return 'The address does not answer in HTTP.';
  return otherwise;
}

/** Codes of the system's resolver for a lookup that gave no address. */
const nameErrors = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NONAME', 'ENODATA']);

/** Headers that came more than once become one text. */
function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return joined;
}
