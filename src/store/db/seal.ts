/** Encryption of short texts for a column: AES-256-GCM with a key derived from the master secret. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from '../../domain/derive-key.ts';

/** Encryption with one master secret. */
export interface Seal {
  /** Encrypts. `owner` is authenticated, too: a value that is copied to another row does not open there. */
  seal(plain: string, owner: string): string;
  /** Decrypts. Null for another master secret, another owner or a changed value. */
  open(sealed: string, owner: string): string | null;
}

/** Prefix of every encrypted value; another format gets another number. */
const version = 'v1.';
const ivBytes = 12;
const tagBytes = 16;

/** Whether a stored value is encrypted; older versions stored plain text. */
export const isSealed = (stored: string): boolean => stored.startsWith(version);

/** The key is derived once; every value has a random nonce. */
export function openSeal(masterSecret: string): Seal {
  const key = deriveKey(masterSecret, 'atelier webhook secrets v1');
  return {
    seal(plain, owner) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner));
      const bytes = [iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return version + Buffer.concat(bytes).toString('base64url');
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
      if (!isSealed(sealed) || bytes.length < ivBytes + tagBytes) return null;
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(-tagBytes));
      const plain = cipher.update(bytes.subarray(ivBytes, -tagBytes));
      try {
        return Buffer.concat([plain, cipher.final()]).toString('utf8');
      } catch {
        // The tag does not match; final() throws nothing else.
        return null;
      }
    },
  };
}
