/** Signs and verifies the short-lived URLs of files. */
import { createHmac } from 'node:crypto';
import { constantTimeEqual } from './constant-time-equal.ts';
import { deriveKey } from './derive-key.ts';

export type SignatureVerdict =
  | { readonly kind: 'valid'; readonly fileId: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'invalid' };

export interface Signer {
  /** A path that needs no API key: `/v1/f/{id}/{name}?exp=…&sig=…`. `expiresAt` in epoch ms. */
  sign(file: { readonly id: string; readonly fileName: string }, expiresAt: number): string;
  /** Verifies a path with its query, as received: any changed byte or added parameter makes it invalid. */
  verify(pathAndQuery: string, now: number): SignatureVerdict;
}

const signedPath = /^\/v1\/f\/(file_[0-9A-Za-z]{24})\/([^/?#]+)\?exp=(\d{1,12})&sig=([A-Za-z0-9_-]{43})$/;

/** `masterSecret` is shared by every node; URLs are signed with a key derived from it. */
export function openSigner(masterSecret: string): Signer {
  const key = deriveKey(masterSecret, 'atelier file addresses v1');
  const macOf = (fileId: string, encodedName: string, exp: string) =>
    createHmac('sha256', key).update(`v1\nGET\n${fileId}\n${encodedName}\n${exp}`).digest();

  return {
    sign({ id, fileName }, expiresAt) {
      const name = encodeURIComponent(fileName.toWellFormed());
      const exp = String(Math.floor(expiresAt / 1000));
      return `/v1/f/${id}/${name}?exp=${exp}&sig=${macOf(id, name, exp).toString('base64url')}`;
    },
    verify(pathAndQuery, now) {
      const match = signedPath.exec(pathAndQuery);
      if (!match) return { kind: 'invalid' };
      const [, fileId, name, exp, sig] = match;
      const given = Buffer.from(sig!, 'base64url');
      const right = macOf(fileId!, name!, exp!);
      if (!constantTimeEqual(given, right)) return { kind: 'invalid' };
      // base64url has several spellings of the same bytes; only the canonical one is a URL we signed.
      if (right.toString('base64url') !== sig) return { kind: 'invalid' };
      return Number(exp) * 1000 > now ? { kind: 'valid', fileId: fileId! } : { kind: 'expired' };
    },
  };
}
