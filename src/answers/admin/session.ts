/** Sessions of the console, and its setup. */

import { z } from 'zod';
import { listOf, unixSeconds } from '../values.ts';

/** What an operator may do; each role includes the ones before it. */
export const roleSchema = z.enum(['viewer', 'developer', 'admin']);

/** Whose request this is, and what its role may do. */
export const sessionSchema = z
  .object({
    object: z.literal('session'),
    id: z.string().nullable().describe('Null for a request by the admin token itself.'),
    name: z.string(),
    role: roleSchema,
    login: z.enum(['token', 'password', 'oidc']).describe('How its owner logs in.'),
    person: z.string().nullable().describe('Id of the person; null: logged in by the admin token.'),
    csrf_token: z.string().nullable().describe('What writes of this session send as X-CSRF-Token.'),
    ends_at: unixSeconds.nullable(),
  })
  .meta({ id: 'AdminSession', description: 'The session of a request.' });

/** `address` is that of the latest request, as the server or a trusted proxy reports it. */
export const sessionLineSchema = z
  .object({
    object: z.literal('session'),
    id: z.string(),
    person: z.string().nullable(),
    name: z.string(),
    role: roleSchema,
    began_at: unixSeconds,
    last_seen_at: unixSeconds,
    ends_at: unixSeconds,
    address: z.string(),
    user_agent: z.string(),
    current: z.boolean().describe('Whether it is the session of this request.'),
  })
  .meta({ id: 'AdminSessionLine', description: 'A live session in a list.' });

/** Live ones alone: a session that ended has no row. */
export const sessionListSchema = listOf(sessionLineSchema).meta({ id: 'AdminSessionList' });

/** `id` is absent where a request ended its own session. */
export const endedSessionSchema = z
  .object({ object: z.literal('session'), id: z.string().exactOptional(), ended: z.literal(true) })
  .meta({ id: 'AdminEndedSession', description: 'A session that was ended.' });

/** Several at once, as after a lost laptop. */
export const endedSessionsSchema = z
  .object({ object: z.literal('sessions'), ended: z.int() })
  .meta({ id: 'AdminEndedSessions', description: 'How many sessions were ended.' });

/** What the login page offers beside the admin token and a password. */
export const loginSchema = z
  .object({
    object: z.literal('login'),
    oidc: z
      .object({
        label: z.string(),
        url: z.string().describe('Where the login by the identity provider begins: an address to be opened.'),
      })
      .nullable()
      .describe('Null where no identity provider is set.'),
    has_passwords: z.boolean().describe('Whether anybody logs in by name and password.'),
    refused: z.string().nullable().describe('The sentence of the code in the query; null for none.'),
  })
  .meta({ id: 'AdminLogin', description: 'Ways to log in.' });

/** Open until a first person exists. */
export const setupSchema = z
  .object({ object: z.literal('setup'), open: z.boolean() })
  .meta({ id: 'AdminSetup', description: 'Whether the first account can still be created.' });

/** Faults are sentences for the operator, with the path or the setting that they are about. */
export const checksSchema = z
  .object({
    object: z.literal('checks'),
    public_url: z.string(),
    storage_fault: z.string().nullable().describe('Null where blobs can be written.'),
    not_ready: z.string().nullable().describe('Null where the process is ready.'),
  })
  .meta({ id: 'AdminChecks', description: 'What a new installation is checked for.' });

/** `developer` also runs jobs; `admin` also changes keys, people and accounts. */
export type Role = z.infer<typeof roleSchema>;

/** The session of a request. */
export type Session = z.infer<typeof sessionSchema>;

/** A live session in a list. */
export type SessionLine = z.infer<typeof sessionLineSchema>;

/** Ways to log in. */
export type Login = z.infer<typeof loginSchema>;

/** Whether the first account can still be created. */
export type Setup = z.infer<typeof setupSchema>;

/** What a new installation is checked for. */
export type Checks = z.infer<typeof checksSchema>;
