import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { PersonId } from './ids.ts';
import { areSameBytes } from './same-bytes.ts';

/** What somebody may do in the console: look; run and redeliver too; everything. */
export const roles = ['viewer', 'developer', 'admin'] as const;
export type Role = (typeof roles)[number];

export const mayAct = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);

/** Somebody who uses the console under a name of his own. */
export interface Person {
  readonly id: PersonId;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  /** Epoch ms of the last change of role or password: sessions of before have ended. */
  readonly changedAt: number;
}

export const shortestPassword = 10;
export const longestPassword = 200;

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number }, Buffer>(scrypt);
const cost = { N: 16_384, r: 8, p: 1 };
const keyBytes = 32;

/** `scrypt$salt$key`, both base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password.normalize('NFKC'), salt, keyBytes, cost);
  return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, salt = '', key = ''] = hash.split('$');
  const right = Buffer.from(key, 'base64url');
  const given = await derive(
    password.normalize('NFKC'),
    Buffer.from(salt, 'base64url'),
    right.length || keyBytes,
    cost,
  );
  return areSameBytes(given, right);
}
