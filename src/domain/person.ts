/** People with an account of the console, and their roles. */
import type { PersonId } from './ids.ts';

/** In ascending order: read only; also run jobs and redeliver callbacks; everything. */
export const roles = ['viewer', 'developer', 'admin'] as const;
export type Role = (typeof roles)[number];

export const hasRoleAtLeast = (role: Role, least: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(least);

/** An account of the console. */
export interface Person {
  readonly id: PersonId;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  /** Epoch ms of the last change of role or password: earlier sessions are over. */
  readonly changedAt: number;
  /** How the person logs in. One of an identity provider has no password, and a role by its groups. */
  readonly login: 'password' | 'oidc';
}

export const minPasswordLength = 10;
export const maxPasswordLength = 200;
