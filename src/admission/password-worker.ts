import { scryptSync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { PasswordCost } from '../domain/password-hash.ts';

/** What is sent in, one at a time. */
export interface Derivation extends PasswordCost {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly keyBytes: number;
}

/** What comes back: first `ready`, then one answer for each derivation. */
export type DerivationReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'derived'; readonly key: Uint8Array };

parentPort?.on('message', ({ password, salt, keyBytes, N, r, p }: Derivation) => {
  // scrypt's own bound is below what its recommended parameters take.
  const maxmem = 256 * (N * r + r * p) + 1024 * 1024;
  const key = scryptSync(password.normalize('NFKC'), salt, keyBytes, { N, r, p, maxmem });
  parentPort?.postMessage({ kind: 'derived', key } satisfies DerivationReport);
});
parentPort?.postMessage({ kind: 'ready' } satisfies DerivationReport);
