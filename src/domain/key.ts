/** API keys and principals: models, scopes and quotas. */
import type { KeyId, UserId } from './ids.ts';
import type { RefusalName } from './refusal.ts';

/** What a key can be restricted to. */
export const scopes = ['jobs:create', 'jobs:read', 'files', 'webhook-secret'] as const;
export type Scope = (typeof scopes)[number];

/** Who sent a request: the user of a valid key, and what that key may do. */
export interface Principal {
  readonly userId: UserId;
  readonly keyId: KeyId;
  /** The project that pays for its jobs. */
  readonly projectId: string;
  /** Model ids this key may create jobs for; null: every model. */
  readonly models: readonly string[] | null;
  /** Null: not restricted to scopes. Use `hasScope` to check. */
  readonly scopes: readonly Scope[] | null;
  /** Null: any number of jobs. */
  readonly quota: Quota | null;
  /** Epoch ms; null: the key does not expire. */
  readonly expiresAt: number | null;
}

/** Limits of the jobs of a key, set by its operator. */
export interface Quota {
  /** Available or running at once; null: any number. */
  readonly atOnce: number | null;
  /** Created on one day of UTC; null: any number. */
  readonly perDay: number | null;
}

/** An API key's record. The secret itself is never stored. */
export interface ApiKey {
  readonly id: KeyId;
  readonly userId: UserId;
  readonly userName: string;
  /** Name of the project that pays for its jobs. */
  readonly projectName: string;
  readonly name: string | null;
  /** First 8 and last 4 characters, to recognise a key by. */
  readonly hint: string;
  readonly models: readonly string[] | null;
  /** Null: not limited to scopes. */
  readonly scopes: readonly Scope[] | null;
  readonly quota: Quota | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export const mayUseModel = (principal: Principal, modelId: string): boolean =>
  principal.models === null || principal.models.includes(modelId);

/**
 * Whether a key has a scope. A key without restrictions has all of them. With the webhook secret callbacks of the whole
 * user can be forged, so a key that is restricted to models or scopes has that scope only where it is named.
 */
export function hasScope({ models, scopes }: Pick<Principal, 'models' | 'scopes'>, scope: Scope): boolean {
  if (scopes !== null) return scopes.includes(scope);
  return scope !== 'webhook-secret' || models === null;
}

/** The refusal of a request without that scope. */
export const refusalOfScope = {
  'jobs:create': 'scope_jobs_create',
  'jobs:read': 'scope_jobs_read',
  files: 'scope_files',
  'webhook-secret': 'scope_webhook_secret',
} as const satisfies Record<Scope, RefusalName>;

export const isScope = (value: unknown): value is Scope => scopes.some(scope => scope === value);
