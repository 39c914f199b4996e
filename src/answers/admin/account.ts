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

/** An account at a provider. */
export type Account = z.infer<typeof accountSchema>;

/** What a test of an account showed. */
export type AccountTest = z.infer<typeof accountTestSchema>;
