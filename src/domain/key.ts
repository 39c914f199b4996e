import type { KeyId, UserId } from './ids.ts';
import type { RefusalName } from './refusal.ts';

/** What a key may be limited to. */
export const scopes = ['jobs:create', 'jobs:read', 'files', 'webhook-secret'] as const;
export type Scope = (typeof scopes)[number];

/** Who is asking: the user behind a valid key, and what that key may do. */
export interface Principal {
  readonly userId: UserId;
  readonly keyId: KeyId;
  /** Model ids this key may create jobs for; null: every model. */
  readonly models: readonly string[] | null;
  /** What this key may do; null: nothing was said of it. `mayDo` judges. */
  readonly scopes: readonly Scope[] | null;
  /** Null: any number of jobs. */
  readonly quota: Quota | null;
  /** Epoch ms; null: the key does not expire. */
  readonly expiresAt: number | null;
}

/** How many jobs a key may have, where its operator bounds that. */
export interface Quota {
  /** Waiting or running at one moment; null: any number. */
  readonly atOnce: number | null;
  /** Made on one day of UTC; null: any number. */
  readonly perDay: number | null;
}

/** An API key's record. The secret itself is never kept. */
export interface ApiKey {
  readonly id: KeyId;
  readonly userId: UserId;
  readonly userName: string;
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
 * Whether a key has a scope. One without any restriction has all of them. The webhook secret lets its holder forge
 * callbacks for the whole user, so a key that is limited to models or scopes has it only where it is named.
 */
export function hasScope({ models, scopes }: Pick<Principal, 'models' | 'scopes'>, scope: Scope): boolean {
  if (scopes !== null) return scopes.includes(scope);
  return scope !== 'webhook-secret' || models === null;
}

/** How a request without that scope is answered. */
export const refusalOfScope = {
  'jobs:create': 'scope_jobs_create',
  'jobs:read': 'scope_jobs_read',
  files: 'scope_files',
  'webhook-secret': 'scope_webhook_secret',
} as const satisfies Record<Scope, RefusalName>;

export const isScope = (value: unknown): value is Scope => scopes.some(scope => scope === value);
