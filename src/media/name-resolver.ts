/** Resolves host names of users and upstreams by DNS, in fair turns, with timeouts and a negative cache. */
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { seconds } from '../domain/clock.ts';
import { openFairQueue, QueueClosed, QueueFull } from '../domain/fair-queue.ts';

/** For whom a name is resolved. */
export interface Lookup {
  /** Whose fair share is used: a user id, so that unresponsive names of one user delay no other. */
  readonly share: string;
  /** Cancels the lookup. */
  readonly signal: AbortSignal;
}

/** All addresses of a name, in the order in which they should be tried. */
export type Resolve = (hostname: string, lookup: Lookup) => Promise<readonly string[]>;

/** One per process, so that its limits hold for all requests. */
export interface NameResolver {
  readonly resolve: Resolve;
  /** Rejects waiting lookups; running ones end with their requests. */
  close(): void;
}

export interface NameResolverOptions {
  /** Addresses of DNS servers, with or without port; null: those of the system. */
  readonly servers: readonly string[] | null;
  /** Whether names of this machine resolve: those of its hosts file, and localhost. */
  readonly allowPrivate: boolean;
  /** Default: /etc/hosts. Read once. */
  readonly hostsPath?: string;
}

/** A name without addresses; the message is a sentence that may be shown to the sender of the URL. */
export class LookupFailed extends Error {
  override readonly name = 'LookupFailed';
}

/** For one query to one server; the resolver doubles it for the second attempt. */
const queryTimeoutMs = 2 * seconds;
const maxAttempts = 2;
/** For the whole lookup, however many servers there are. */
const lookupTimeoutMs = 5 * seconds;
/** Lookups at the same time, in all and for one share, and how many wait. */
const queueLimits = { running: 8, runningPerShare: 2, waiting: 8_192, waitingPerShare: 1_024 };

/**
 * Queries DNS directly instead of the system's resolver: that one blocks a thread of libuv's small pool for every name,
 * which files, the database and all other names share.
 */
export function openNameResolver({
  servers,
  allowPrivate,
  hostsPath = '/etc/hosts',
}: NameResolverOptions): NameResolver {
  const queue = openFairQueue<string>(queueLimits);
  const failures = openNegativeCache();
  const ownNames = allowPrivate ? readHostsFile(hostsPath) : new Map<string, readonly string[]>();

  const lookUp = async (name: string, signal: AbortSignal): Promise<readonly string[]> => {
    // It may have failed for another caller while this one waited.
    failures.throwIfKnown(name);
    try {
      return await queryServers(name, servers, signal);
    } catch (failure) {
      if (failure instanceof LookupFailed) failures.remember(name, failure.message);
      throw failure;
    }
  };

  return {
    async resolve(hostname, { share, signal }) {
      const name = hostname.toLowerCase().replace(/\.$/, '');
      const own = ownNames.get(name) ?? (allowPrivate && isLocalhost(name) ? ['127.0.0.1', '::1'] : null);
      if (own) return own;
      failures.throwIfKnown(name);
      try {
        return await queue.run(share, () => lookUp(name, signal), signal);
      } catch (failure) {
        if (failure instanceof QueueFull || failure instanceof QueueClosed)
          throw new LookupFailed('Too many DNS lookups are queued.');
        throw failure;
      }
    },
    close: () => queue.close(),
  };
}

/** RFC 6761: names below it are this machine, too. */
const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/** Queries IPv4 and IPv6 at once. A family that fails is left out if the other one answers. */
async function queryServers(
  name: string,
  servers: readonly string[] | null,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  // One per lookup, because cancelling a resolver cancels all its queries.
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: maxAttempts });
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  const timer = setTimeout(cancel, lookupTimeoutMs);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = interleave(addressesIn(four), addressesIn(six));
    if (addresses.length > 0) return addresses;
    signal.throwIfAborted();
    throw new LookupFailed(messageOf([four, six].map(codeOf)));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

/** None of a lookup that failed. */
const addressesIn = (answer: PromiseSettledResult<string[]>): readonly string[] =>
  answer.status === 'fulfilled' ? answer.value : [];

/** Alternates the families: only a few addresses are tried, and this machine may reach only one family. */
const interleave = (four: readonly string[], six: readonly string[]): readonly string[] =>
  Array.from({ length: Math.max(four.length, six.length) }, (_, index) => [four[index], six[index]])
    .flat()
    .filter(address => address !== undefined);

/** Why a lookup gave no address; `ENODATA` where it did not fail. */
const codeOf = (answer: PromiseSettledResult<string[]>): string =>
  answer.status === 'rejected' && answer.reason instanceof Error && 'code' in answer.reason
    ? String(answer.reason.code)
    : 'ENODATA';

function messageOf(codes: readonly string[]): string {
  if (codes.every(code => notFoundCodes.has(code))) return 'The name of the address is not known.';
  if (codes.some(code => timeoutCodes.has(code)))
    return 'The name of the address could not be looked up in time.';
  return 'The name of the address could not be looked up.';
}

/** Codes of names that do not exist, and of servers that did not answer. */
const notFoundCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY']);
const timeoutCodes = new Set(['ETIMEOUT', 'ECANCELLED']);

/** How long a name without an address is remembered, and how many are. */
const negativeCacheMs = 30 * seconds;
const maxNegativeEntries = 10_000;

/** Names that failed recently fail again without a query. */
function openNegativeCache() {
  const known = new Map<string, { readonly message: string; readonly until: number }>();
  return {
    throwIfKnown(name: string): void {
      const failure = known.get(name);
      if (!failure) return;
      if (performance.now() < failure.until) throw new LookupFailed(failure.message);
      known.delete(name);
    },
    remember(name: string, message: string): void {
      known.delete(name);
      const [oldest] = known.keys();
      if (known.size >= maxNegativeEntries && oldest !== undefined) known.delete(oldest);
      known.set(name, { message, until: performance.now() + negativeCacheMs });
    },
  };
}

/** Lines of a hosts file are an address and its names; # starts a comment. */
function readHostsFile(path: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, readonly string[]>();
  for (const line of linesOf(path)) {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const each of names) {
      const name = each.toLowerCase();
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
    }
  }
  return hosts;
}

/** Empty where the file does not exist. */
function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
