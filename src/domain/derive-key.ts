/** Keys for one purpose each, derived from the master secret that every process shares. */
import { hkdfSync } from 'node:crypto';

/** 32 bytes by HKDF with SHA-256. `purpose` ends in a version, so that a new format gets a new key. */
export const deriveKey = (masterSecret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', masterSecret, '', purpose, 32));
