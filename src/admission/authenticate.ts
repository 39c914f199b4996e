/** Authenticates API keys, with a short-lived cache in front of the database. */
import { type Clock, seconds } from '../domain/clock.ts';
import { hashApiKey, isWellFormedApiKey } from '../domain/ids.ts';
import type { Principal } from '../domain/key.ts';
import { refuse } from '../domain/refusal.ts';
import { type Connection, keysTopic } from '../store/db/connection.ts';
import { findPrincipal } from '../store/people/keys.ts';

/**
 * The life of a cached principal. Processes announce each change of a key; this bounds the delay where no announcement
 * arrives: a command beside a server on SQLite, or a notification that PostgreSQL lost.
 */
const cacheLifeMs = 1 * seconds;
/** Principals in memory; beyond that all are dropped, and each is read again when it is needed. */
const maxCached = 10_000;
/** Characters; a key is far shorter, and hashing is work. */
const maxHeaderLength = 512;

/**
 * The principal of an Authorization header; throws the 401 of Contract 5.2 and 7.1. It returns a promise only where it
 * queries the database.
 */
export type Authenticate = (authorization: string | undefined) => Principal | Promise<Principal>;

/** Revoked and changed keys leave the cache when the change is announced. */
export function openAuthenticate(
  db: Pick<Connection, 'read' | 'write' | 'onAnnounced'>,
  clock: Clock,
): Authenticate {
  /** By the whole header, so that a request with a cached key needs no hash. */
  const cache = new Map<string, { readonly principal: Principal; readonly until: number }>();
  /** Announced changes of keys so far. */
  let changes = 0;
  db.onAnnounced(topic => {
    if (topic !== keysTopic) return;
    changes += 1;
    cache.clear();
  });

  async function readPrincipal(authorization: string, now: number): Promise<Principal> {
    const secret = bearerOf(authorization);
    const changesBefore = changes;
    // The checksum refuses typing errors and guesses without a query.
    const isPossible = secret !== null && isWellFormedApiKey(secret);
    const principal = isPossible ? await findPrincipal(db, hashApiKey(secret), now) : null;
    if (!principal) {
      cache.delete(authorization);
      throw refuse('key_invalid');
    }
    // A row that was read before a change must not outlive it here.
    if (changes !== changesBefore) return principal;
    if (cache.size >= maxCached) cache.clear();
    const until = Math.min(now + cacheLifeMs, principal.expiresAt ?? Infinity);
    cache.set(authorization, { principal, until });
    return principal;
  }

  return authorization => {
    if (authorization === undefined) throw refuse('key_missing');
    const now = clock.now();
    const cached = cache.get(authorization);
    return cached && cached.until > now ? cached.principal : readPrincipal(authorization, now);
  };
}

/** The token after `Bearer`; null where it cannot be a token. Throws where it is missing, or of another scheme. */
export function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined || !/^Bearer +\S/i.test(authorization)) throw refuse('key_missing');
  if (authorization.length > maxHeaderLength) return null;
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? null;
}
