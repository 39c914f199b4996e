import type { PersonId } from './ids.ts';

/** What somebody may do in the console: look; run and redeliver too; everything. */
export const roles = ['viewer', 'developer', 'admin'] as const;
export type Role = (typeof roles)[number];

export const hasRoleAtLeast = (role: Role, least: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(least);

/** Somebody who uses the console under a name of his own. */
export interface Person {
  readonly id: PersonId;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  /** Epoch ms of the last change of role or password: sessions of before have ended. */
  readonly changedAt: number;
}

export const minPasswordLength = 10;
export const maxPasswordLength = 200;
