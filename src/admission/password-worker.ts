/** The worker thread that derives keys of passwords: one request at a time, answered in order. */
import { scryptSync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { PasswordCost } from '../domain/password-hash.ts';

/** The request: `keyBytes` is the length of the key to derive. */
export interface Derivation extends PasswordCost {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly keyBytes: number;
}

/** The replies: first `ready`, then one for each derivation. */
export type DerivationReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'derived'; readonly key: Uint8Array };

parentPort?.on('message', ({ password, salt, keyBytes, N, r, p }: Derivation) => {
  // The default maxmem of scrypt is below the memory of its recommended parameters.
  const maxmem = 256 * (N * r + r * p) + 1024 * 1024;
  const key = scryptSync(password.normalize('NFKC'), salt, keyBytes, { N, r, p, maxmem });
  parentPort?.postMessage({ kind: 'derived', key } satisfies DerivationReport);
});
parentPort?.postMessage({ kind: 'ready' } satisfies DerivationReport);
