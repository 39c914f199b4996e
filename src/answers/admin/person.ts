/** People who may use the console. */

import { z } from 'zod';
import { listOf, unixSeconds } from '../values.ts';
import { roleSchema } from './session.ts';

/** Without the password, of which only a hash is stored. */
export const personSchema = z
  .object({
    id: z.string(),
    object: z.literal('person'),
    name: z.string(),
    role: roleSchema,
    login: z
      .enum(['password', 'oidc'])
      .describe('An identity provider gives the person a role by groups, at each login.'),
    created_at: unixSeconds,
    changed_at: unixSeconds,
  })
  .meta({ id: 'AdminPerson', description: 'A person with an account of the console.' });

/** By name. */
export const personListSchema = listOf(personSchema).meta({ id: 'AdminPersonList' });

/** The sessions of that person end with the account. */
export const removedPersonSchema = z
  .object({ object: z.literal('person'), id: z.string(), removed: z.literal(true) })
  .meta({ id: 'AdminRemovedPerson', description: 'A person who was removed.' });

/** A person with an account of the console. */
export type Person = z.infer<typeof personSchema>;
