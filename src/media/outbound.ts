import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { Agent, buildConnector, request as send } from 'undici';
import { seconds } from '../domain/clock.ts';
import { checkUrl, isPublicAddress } from './address-guard.ts';
import { type BoundedBody, openBoundedBody } from './bounded-body.ts';
import { LookupFailed, type Resolve } from './name-resolver.ts';

export type { Resolve } from './name-resolver.ts';

/** The way out to addresses that clients and upstreams wrote. */
export interface Outbound {
  /** Sends one request; redirects are answers like any other. Never rejects. */
  request(url: string, request: OutboundRequest): Promise<OutboundAnswer>;
  /** Breaks off whatever is under way. */
  close(): Promise<void>;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** For everything together: name, connection, headers and the last byte of the body. In milliseconds. */
  readonly timeoutMs: number;
  /** More than this of the answer's body is never taken. */
  readonly maxBytes: number;
  /** Whose turn looking up its name takes: a user. Absent: that of all who have no share of their own. */
  readonly share?: string;
}

export type OutboundAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Names in lower case; repeated ones joined by a comma. */
      readonly headers: Readonly<Record<string, string>>;
      /** To be read or discarded; until then the connection stays open, at most until the time is over. */
      readonly body: BoundedBody;
    }
  /** Nothing was sent. The reason is a sentence that may be shown to whoever wrote the address. */
  | { readonly kind: 'refused_address'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface OutboundOptions {
  readonly allowPrivate: boolean;
  /** Default: the operating system's resolver. */
  readonly resolve?: Resolve;
}

/** For one address of a name, so that a silent one leaves time for the next. */
const connectTimeoutMs = 5 * seconds;
/** A name with more addresses than this is not served better by trying on. */
const maxTriedAddresses = 4;
const maxHeaderBytes = 16 * 1024;

export function openOutbound({ allowPrivate, resolve = resolveWithSystem }: OutboundOptions): Outbound {
  const closing = new AbortController();
  const open = new Set<Agent>();

  return {
    async request(text, { method, headers = {}, body, signal, timeoutMs, maxBytes, share = '' }) {
      const verdict = checkUrl(text, { allowPrivate });
      if (!verdict.ok) return { kind: 'refused_address', reason: verdict.reason };
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(new RequestAborted('No answer came in time.')), timeoutMs);
      const stop = () => ending.abort(new RequestAborted('The request was broken off.'));
      const stops = [signal, closing.signal].filter(each => each !== undefined);
      for (const each of stops) {
        if (each.aborted) stop();
        each.addEventListener('abort', stop, { once: true });
      }
      // One agent a request: no connection is ever taken over by a request for which it was not judged,
      // and the connector knows the deadline, which an agent's queue would wait past.
      const agent = new Agent({
        connect: openGuardedConnector(ending.signal, allowPrivate, name =>
          resolve(name, { share, signal: ending.signal }),
        ),
        pipelining: 0,
        headersTimeout: 0, // The one deadline above stands for undici's several.
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
            describeError: error => describeError(ending.signal, error, 'The answer broke off.'),
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

/** Its message may be shown outside. */
class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Resolves the name once, judges every address it has, and connects to one of those very addresses: a name
 * that changes its mind between judging and connecting (rebinding) changes nothing. A `lookup` option would
 * not do, because nothing is looked up for an address in numbers.
 */
function openGuardedConnector(
  signal: AbortSignal,
  allowPrivate: boolean,
  resolve: (hostname: string) => Promise<readonly string[]>,
): buildConnector.connector {
  const connectTo = buildConnector({ allowH2: false, maxCachedSessions: 0, timeout: connectTimeoutMs });

  async function connect(options: buildConnector.Options): Promise<Socket> {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) ? [host] : await untilAborted(signal, resolve(host));
    if (addresses.length === 0) throw new RequestAborted('The name of the address is not known.');
    // One inner address among public ones is enough: whoever answers for the name means harm.
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
      // The certificate is checked against the name, though the connection goes to the number.
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

/** undici's types leave out that a connector returns its socket. */
function isSocket(value: unknown): value is Pick<Socket, 'destroy'> {
  return typeof value === 'object' && value !== null && 'destroy' in value;
}

async function resolveWithSystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

/** Rejects with the signal's reason even where what is waited for cannot be stopped. */
function untilAborted<T>(signal: AbortSignal, waited: Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const stop = () => fail(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    waited.then(done, fail).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A sentence for outside: what a socket error says may name inner addresses. */
function describeError(signal: AbortSignal, error: unknown, otherwise: string): string {
  if (signal.aborted && signal.reason instanceof RequestAborted) return signal.reason.message;
  if (error instanceof RequestAborted || error instanceof LookupFailed) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (nameErrors.has(code)) return 'The name of the address is not known.';
  if (/CERT|TLS|SSL|ISSUER|SIGNATURE/.test(code)) return 'No secure connection could be made.';
  if (/^(UND_ERR_HEADERS_OVERFLOW|HPE_)/.test(code)) return 'The address does not answer in HTTP.';
  return otherwise;
}

const nameErrors = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NONAME', 'ENODATA']);

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return joined;
}
