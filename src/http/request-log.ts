/** Counts refused requests in memory and writes the counts every few seconds, so that a refusal costs no statement. */

import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Authenticate } from '../admission/authenticate.ts';
import { addressRange } from '../domain/address.ts';
import { type Clock, seconds } from '../domain/clock.ts';
import type { Refusal } from '../domain/refusal.ts';
import { hourOf, isCounted, type RefusedRequests, sentenceOf } from '../domain/refused-request.ts';
import type { Connection } from '../store/db/connection.ts';
import { addRefusedRequests } from '../store/refusals/refused-requests.ts';
import { clientAddress } from './client-address.ts';

/** What a crash loses, at most. */
const flushMs = 5 * seconds;
/** Groups of one process in one hour; beyond them only statuses are counted. */
const maxGroups = 200;
/** Routes of the console: an operator sees its refusals where they happen. */
const ownRoutes = /^\/(?:admin|console)\b/;

/** Counts of one group since the last flush. */
type Counting = { -readonly [Name in keyof RefusedRequests]: RefusedRequests[Name] };

/** The counters of a process. */
export interface RequestLog {
  /** Never throws, and is not waited for. */
  readonly record: (request: FastifyRequest, refusal: Refusal) => void;
  /** Resolves once the last counts are written. */
  close(): Promise<void>;
}

/** What the counters need. */
interface RequestLogContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly authenticate: Authenticate;
  readonly log: Logger;
}

/** Opens the counters of a process. */
export function openRequestLog({ db, clock, authenticate, log }: RequestLogContext): RequestLog {
  let waiting = new Map<string, Counting>();
  /** Groups that this hour has already, whether or not they are written. */
  let known = { hour: 0, groups: new Set<string>() };
  const closing = new AbortController();

  function count(caller: string, request: FastifyRequest, refusal: Refusal): void {
    const now = clock.now();
    const hour = hourOf(now);
    if (hour !== known.hour) known = { hour, groups: new Set() };
    const route = `${request.method} ${request.routeOptions.url ?? 'unknown'}`;
    const group = groupOf({ caller, route, refusal });
    const key = JSON.stringify([hour, ...Object.values(group)]);
    const counting = waiting.get(key);
    if (counting) {
      counting.requests += 1;
      counting.lastAt = now;
      return;
    }
    const bodyFields = refusal.details.bodyFields ?? null;
    waiting.set(key, { hour, ...group, requests: 1, firstAt: now, lastAt: now, bodyFields });
  }

  /** Beyond the bound all that is told apart is the status. */
  function groupOf({ caller, route, refusal }: { caller: string; route: string; refusal: Refusal }) {
    const { status } = refusal.entry;
    const group = { caller, route, status, code: refusal.refusal, sentence: sentenceOf(refusal) };
    const key = JSON.stringify(Object.values(group));
    if (known.groups.has(key)) return group;
    if (known.groups.size >= maxGroups)
      return {
        caller: 'others',
        route: 'any',
        status,
        code: 'others',
        sentence: `Others, ${status}`,
      } as const;
    known.groups.add(key);
    return group;
  }

  async function flush(): Promise<void> {
    if (waiting.size === 0) return;
    const counted = [...waiting.values()];
    waiting = new Map();
    await addRefusedRequests(db, counted).catch(failure =>
      log.warn({ err: failure, groups: counted.length }, 'counts of refused requests not written'),
    );
  }

  const flushing = (async () => {
    while (!closing.signal.aborted) {
      await clock.sleep(flushMs, closing.signal);
      await flush();
    }
  })();

  return {
    record(request, refusal) {
      if (!isCounted(refusal) || ownRoutes.test(request.routeOptions.url ?? '')) return;
      const found = callerOf(authenticate, request, refusal);
      if (typeof found === 'string') count(found, request, refusal);
      else void found.then(caller => count(caller, request, refusal));
    },
    async close() {
      closing.abort();
      await flushing;
    },
  };
}

/** The key of the request, which was authenticated a moment ago; without one, the network of its address. */
function callerOf(
  authenticate: Authenticate,
  request: FastifyRequest,
  { entry }: Refusal,
): string | Promise<string> {
  const network = () => addressRange(clientAddress(request));
  const { authorization } = request.raw.headers;
  if (entry.status === 401 || authorization === undefined) return network();
  try {
    // Clients of other protocols write another scheme before the same key.
    const principal = authenticate(authorization.replace(/^(?:Key|Token) /i, 'Bearer '));
    if (!(principal instanceof Promise)) return principal.keyId;
    return principal.then(({ keyId }) => keyId, network);
  } catch {
    return network();
  }
}
