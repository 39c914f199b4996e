import { type Clock, seconds } from '../domain/clock.ts';
import { hashApiKey, isWellFormedApiKey } from '../domain/ids.ts';
import type { Principal } from '../domain/key.ts';
import { refuse } from '../domain/refusal.ts';
import type { Statements } from '../store/connection.ts';
import { findPrincipal } from '../store/keys.ts';

/** How long a revoked key may still be let in: the life of a cached principal. */
const cacheLifeMs = 5 * seconds;
const maxCached = 10_000;
const maxHeaderLength = 512;

/** Who is asking, by the Authorization header; throws the 401 of Contract 5.2 and 7.1. */
export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

export function openAuthenticate(db: Statements, clock: Clock): Authenticate {
  const cache = new Map<string, { readonly principal: Principal; readonly until: number }>();

  return async authorization => {
    const secret = bearerOf(authorization);
    if (secret === null) throw refuse('key_invalid');
    const hash = hashApiKey(secret);
    const now = clock.now();
    const cached = cache.get(hash);
    if (cached && cached.until > now) return cached.principal;
    // The checksum turns typing errors and guesses away without asking the database.
    const principal = isWellFormedApiKey(secret) ? await findPrincipal(db, hash, now) : null;
    if (!principal) {
      cache.delete(hash);
      throw refuse('key_invalid');
    }
    if (cache.size >= maxCached) cache.clear();
    cache.set(hash, { principal, until: now + cacheLifeMs });
    return principal;
  };
}

/** What stands behind `Bearer`; null where that cannot be a token. Throws where nothing is there, or another scheme. */
export function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined || !/^Bearer +\S/i.test(authorization)) throw refuse('key_missing');
  if (authorization.length > maxHeaderLength) return null;
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? null;
}
