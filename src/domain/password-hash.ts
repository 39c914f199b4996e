/** Password hashes by scrypt: their parameters and text format. */
import { randomBytes } from 'node:crypto';

/** Parameters of scrypt: memory is 128 * N * r bytes. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** What is stored of a password. */
export interface PasswordHash extends PasswordCost {
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** The minimum that OWASP recommends for scrypt: 128 MiB and some tenths of a second for each derivation. */
export const passwordCost: PasswordCost = { N: 2 ** 17, r: 8, p: 1 };
/** Of hashes without parameters: `scrypt$salt$key`. */
const firstCost: PasswordCost = { N: 2 ** 14, r: 8, p: 1 };

export const saltBytes = 16;
export const keyBytes = 32;

/** `scrypt$N$r$p$salt$key`, the last two base64url. */
export const formatPasswordHash = ({ N, r, p, salt, key }: PasswordHash): string =>
  ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');

/** Throws on text that is not a hash of scrypt. */
export function parsePasswordHash(text: string): PasswordHash {
  const [scheme, ...parts] = text.split('$');
  const cost = parts.slice(0, -2).map(Number);
  const [salt, key] = parts.slice(-2).map(part => Buffer.from(part, 'base64url'));
  const [N, r, p] = cost.length === 0 ? [firstCost.N, firstCost.r, firstCost.p] : cost;
  if (scheme !== 'scrypt' || !N || !r || !p || !salt || key?.length !== keyBytes)
    throw new Error('expected a password hash of scrypt');
  return { N, r, p, salt, key };
}

/** A hash of no password: logins with an unknown name are compared with it, so that they take the same time. */
export const newDummyHash = (cost: PasswordCost): PasswordHash => ({
  ...cost,
  salt: randomBytes(saltBytes),
  key: randomBytes(keyBytes),
});

export const isSameCost = (one: PasswordCost, other: PasswordCost): boolean =>
  one.N === other.N && one.r === other.r && one.p === other.p;
