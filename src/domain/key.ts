import type { KeyId, UserId } from './ids.ts';

/** Who is asking: the user behind a valid key, and what that key may do. */
export interface Principal {
  readonly userId: UserId;
  readonly keyId: KeyId;
  /** Model ids this key may create jobs for; null: every model. */
  readonly models: readonly string[] | null;
  /** Null: any number of jobs. */
  readonly quota: Quota | null;
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
  readonly quota: Quota | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export const mayUseModel = (principal: Principal, modelId: string): boolean =>
  principal.models === null || principal.models.includes(modelId);
