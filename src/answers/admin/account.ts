/** Accounts at providers, the local engine among them. */

import { z } from 'zod';
import { listOf, unixSeconds } from '../values.ts';

/**
 * An account of `atelier.yaml`. `slots` and `running` count jobs at once; `troubles` are those of its routes.
 */
export const accountSchema = z
  .object({
    account: z.string(),
    provider: z.string(),
    slots: z.int(),
    running: z.int(),
    models: z.array(z.string()),
    blocked_until: unixSeconds.nullable().describe('While its circuit is open; null otherwise.'),
    blocked_why: z.string().nullable(),
    paused: z.boolean(),
    tested: z
      .object({ at: unixSeconds, outcome: z.string(), says: z.string() })
      .nullable()
      .describe('What the last test showed.'),
    last_error: z
      .object({ at: unixSeconds, message: z.string() })
      .nullable()
      .describe('The last one for which the account was at fault, and not one job.'),
    troubles: z
      .array(
        z.object({
          model: z.string(),
          says: z.string(),
          since: unixSeconds,
          seen_at: unixSeconds,
        }),
      )
      .describe('Routes that the upstream refuses for a reason that only the operator can remove.'),
  })
  .meta({ id: 'AdminAccount', description: 'An account at a provider.' });

/** Every account of the settings, and the local engine. */
export const accountListSchema = listOf(accountSchema).meta({ id: 'AdminAccountList' });

/**
 * `untried`: the upstream has no free call. `unclear`: its answer shows neither that the key works nor that
 * it does not.
 */
export const accountTestSchema = z
  .object({
    object: z.literal('provider_test'),
    account: z.string(),
    outcome: z.enum(['accepted', 'refused', 'unreachable', 'unclear', 'untried']),
    says: z.string().describe('A sentence for a person.'),
    routes: z
      .array(
        z.object({
          model: z.string(),
          outcome: z.enum(['accepted', 'refused', 'unreachable', 'unclear']),
          says: z.string(),
        }),
      )
      .describe('What free calls for its routes showed, where the provider has such calls.'),
  })
  .meta({ id: 'AdminAccountTest', description: 'What one free call with the key of an account showed.' });

/** A paused account starts no job; what runs there goes on. */
export const accountPauseSchema = z
  .object({ object: z.literal('provider'), account: z.string(), paused: z.boolean() })
  .meta({ id: 'AdminAccountPause', description: 'Whether an account is paused.' });

/** `fields` are asked for by the form of an account; `reason` says why there is no form. */
export const accountKindSchema = z
  .object({
    provider: z.string(),
    fields: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        where: z.string().describe('Where the operator finds it.'),
        example: z.string().describe('Of a secret: the usual environment variable.'),
        isSecret: z.boolean(),
        isOptional: z.boolean(),
      }),
    ),
    models: z.array(z.string()),
    trial: z.object({ model: z.string(), cost: z.string() }).nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'AdminAccountKind', description: 'A provider that an account can be of.' });

/** `not_writable` says why accounts can only be shown as lines to paste. */
export const accountKindListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(accountKindSchema),
    has_more: z.boolean(),
    file: z.string(),
    not_writable: z.string().nullable(),
  })
  .meta({ id: 'AdminAccountKindList' });

/** Lines to paste. */
export const accountPreviewSchema = z
  .object({ object: z.literal('provider_preview'), yaml: z.string() })
  .meta({ id: 'AdminAccountPreview', description: 'An account as it is written in atelier.yaml.' });

/** `says` is what the test of the account showed; `written` is false where the upstream did not accept it. */
export const accountAdditionSchema = z
  .object({
    object: z.literal('provider'),
    account: z.string(),
    written: z.boolean(),
    faults: z.array(z.string()).describe('Of the file as it would be; then nothing was written.'),
    says: z.string().nullable(),
  })
  .meta({ id: 'AdminAccountAddition', description: 'Whether an account was written into atelier.yaml.' });

/** Without faults the new settings count. */
export const settingsReloadSchema = z
  .object({ object: z.literal('settings_reload'), faults: z.array(z.string()) })
  .meta({ id: 'AdminSettingsReload', description: 'Whether atelier.yaml could be read again.' });

/** A provider that an account can be of. */
export type AccountKind = z.infer<typeof accountKindSchema>;

/** All of them, and whether the file can be written. */
export type AccountKindList = z.infer<typeof accountKindListSchema>;

/** Whether an account was written. */
export type AccountAddition = z.infer<typeof accountAdditionSchema>;

/** An account at a provider. */
export type Account = z.infer<typeof accountSchema>;

/** What a test of an account showed. */
export type AccountTest = z.infer<typeof accountTestSchema>;
