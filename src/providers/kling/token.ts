/** Tokens that a Kling key pair signs for each call. */

import { createHmac } from 'node:crypto';

/** The credentials of an older account, which has no API key. */
export interface KeyPair {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** How long a token is valid; every request has a new one. */
const lifetimeSeconds = 1800;
/** Allowed difference between the upstream's clock and ours. */
const clockSkewSeconds = 5;

/** Signs a token for one call: a JWT with HS256 over exactly these claims, in this order. */
export function mintToken({ accessKey, secretKey }: KeyPair, nowMs: number): string {
  const now = Math.floor(nowMs / 1000);
  const claims = { iss: accessKey, exp: now + lifetimeSeconds, nbf: now - clockSkewSeconds };
  const signed = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${createHmac('sha256', secretKey).update(signed).digest('base64url')}`;
}
