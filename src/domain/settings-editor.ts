/** What the admin API may do with `atelier.yaml`: show and write an account, and read the file again. */
import type { AccountTest } from './account-status.ts';

/** One setting of an account, as a form asks for it. */
export interface AccountField {
  readonly name: string;
  readonly title: string;
  /** Where the operator finds it. */
  readonly where: string;
  /** Of a secret: the usual environment variable. */
  readonly example: string;
  readonly isSecret: boolean;
  readonly isOptional: boolean;
}

/** A provider with the form of an account; `reason` instead of fields where there is none. */
export interface AccountKind {
  readonly provider: string;
  readonly fields: readonly AccountField[];
  /** The models that are routed to it unless others are named. */
  readonly models: readonly string[];
  readonly trial: { readonly model: string; readonly cost: string } | null;
  readonly reason: string | null;
}

/** An account as the form has it; secrets as they were pasted, or empty. */
export interface WantedAccount {
  readonly provider: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly models: readonly string[];
}

/** `faults`: nothing was written, a sentence each. `refused`: nor where the upstream did not accept the account. */
export type AddedAccountResult =
  | { readonly kind: 'faults'; readonly faults: readonly string[] }
  | { readonly kind: 'refused'; readonly test: AccountTest }
  | { readonly kind: 'written'; readonly test: AccountTest };

/** The settings of this machine. */
export interface SettingsEditor {
  /** Every provider that an account can be of. */
  kinds(): readonly AccountKind[];
  /** The file that is written. */
  readonly path: string;
  /** Null where it can be written; else why not. */
  whyNotWritable(): Promise<string | null>;
  /** The lines of the account; secrets as references to the usual variables. */
  preview(account: WantedAccount): string;
  /** Checks the whole new file, tests the account by a free call, writes it and reads it in all processes here. */
  add(account: WantedAccount): Promise<AddedAccountResult>;
  /** Reads the file again in all processes of this machine; the faults for which it stays as it was. */
  reload(): readonly string[];
}
