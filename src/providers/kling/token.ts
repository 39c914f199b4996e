/** Tokens that a Kling key pair signs for each call. */

import { createHmac } from 'node:crypto';

/** What an account of the older kind has in the place of an API key. */
export interface KeyPair {
  readonly accessKey: string;
  readonly secretKey: string;
}

const lifetimeSeconds = 1800;
/** Clocks differ. */
const clockSkewSeconds = 5;

/** A token that the key pair signs, for one call: HS256 over these claims, in this order and no others. */
export function mintToken({ accessKey, secretKey }: KeyPair, nowMs: number): string {
  const now = Math.floor(nowMs / 1000);
  const claims = { iss: accessKey, exp: now + lifetimeSeconds, nbf: now - clockSkewSeconds };
  const signed = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${createHmac('sha256', secretKey).update(signed).digest('base64url')}`;
}
