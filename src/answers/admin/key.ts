/** API keys as operators see them: never with the secret but at their creation. */

import { z } from 'zod';
import { listOf, unixSeconds } from '../values.ts';

/**
 * `hint` is enough to recognise a key in a client's settings and too little to guess it. Limits that are null
 * are those of the settings.
 */
export const keyLineSchema = z
  .object({
    id: z.string(),
    object: z.literal('key'),
    user: z.string(),
    name: z.string().nullable(),
    hint: z.string().describe('First 8 and last 4 characters of the secret.'),
    models: z.array(z.string()).nullable().describe('Null: every model.'),
    scopes: z.array(z.string()).nullable().describe('Null: not limited to scopes.'),
    jobs_at_once: z.int().nullable(),
    jobs_per_day: z.int().nullable(),
    project: z.string().describe('Name of the project that pays for its jobs.'),
    created_at: unixSeconds,
    expires_at: unixSeconds.nullable(),
    revoked_at: unixSeconds.nullable(),
  })
  .meta({ id: 'AdminKey', description: 'An API key without its secret.' });

/** Revoked and expired keys included: jobs refer to them. */
export const keyListSchema = listOf(keyLineSchema).meta({ id: 'AdminKeyList' });

/** The only answer with a secret: what is stored is its hash. */
export const newKeySchema = z
  .object({ ...keyLineSchema.shape, secret: z.string() })
  .meta({ id: 'AdminNewKey', description: 'A new key with its secret, which is shown once.' });

/** Jobs that it created go on; it cannot be made valid again. */
export const revokedKeySchema = z
  .object({ object: z.literal('key'), id: z.string(), revoked: z.literal(true) })
  .meta({ id: 'AdminRevokedKey', description: 'A key that was revoked.' });

/** An API key without its secret. */
export type KeyLine = z.infer<typeof keyLineSchema>;
