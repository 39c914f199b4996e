/** API keys in the admin API: list, create, change, revoke. */

import type { FastifyRequest } from 'fastify';
import { keyLineSchema, keyListSchema, newKeySchema, revokedKeySchema } from '../../answers/admin/key.ts';
import { parseTime, toUnixSeconds } from '../../domain/clock.ts';
import { keyIdFromRow } from '../../domain/ids.ts';
import { type ApiKey, isScope, scopes as knownScopes, type Scope } from '../../domain/key.ts';
import { refuse } from '../../domain/refusal.ts';
import { consoleUserName, userNameError } from '../../domain/user-name.ts';
import { findProject } from '../../store/money/projects.ts';
import { createKey, editKey, type KeyChange, listKeys, revokeKey } from '../../store/people/keys.ts';
import type { HttpContext } from '../http-context.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import { pathValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { readLimit } from './budget-body.ts';

/** Characters. */
const maxNameLength = 100;
/** For both limits of a key; no limit is null. */
const maxJobs = 1_000_000_000;

/** Every key without its secret, newest first. */
export const listAllKeys: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/keys',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Every key.', body: keyListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    const keys = await listKeys(context.db);
    return { object: 'list', data: keys.toReversed().map(keyBody), has_more: false };
  },
};

/** Creates a key; the only answer with its secret. */
export const makeKey: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/keys',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['project_unknown', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'The new key with its secret.', body: newKeySchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const { user, of_console, project, limit, monthly, ...given } = await readAdminBody(request, [
        ...(['user', 'of_console', 'project', 'limit', 'monthly'] as const),
        ...changeable,
      ]);
      const change = readChange(context, given);
      const money = await readMoney(context, { project, limit, monthly });
      const now = context.clock.now();
      const nothing = { name: null, models: null, expiresAt: null };
      const wanted = {
        ...nothing,
        ...change,
        ...money,
        userName: of_console === true ? consoleUserName : readUser(user),
      };
      const { key, secret } = await createKey(context.db, wanted, now, actor);
      // Quotas are set by an edit: a creation has no columns for them.
      const made = change.quota
        ? await editKey(context.db, key.id, { quota: change.quota }, { actor, now })
        : key;
      return { ...keyBody(made ?? key), secret };
    },
};

/** Changes the given fields; the secret never changes. */
export const changeKey: AdminRoute = {
  method: 'PUT',
  path: '/admin/v1/keys/:keyId',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['key_unknown', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'The changed key.', body: keyLineSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const change = readChange(context, await readAdminBody(request, changeable));
      const id = keyOfPath(request);
      const key = await editKey(context.db, id, change, { actor, now: context.clock.now() });
      if (!key) throw refuse('key_unknown');
      return keyBody(key);
    },
};

/** Every process refuses the key at once. */
export const revokeApiKey: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/keys/:keyId/revoke',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['key_unknown'],
  answers: {
    200: { description: 'The key is revoked.', body: revokedKeySchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const id = keyOfPath(request);
      if (!(await revokeKey(context.db, id, context.clock.now(), actor))) throw refuse('key_unknown');
      return { object: 'key', id, revoked: true };
    },
};

/** The project that pays for the jobs of a new key, and the key's own limit. */
async function readMoney(
  { db }: HttpContext,
  { project, ...given }: Readonly<Record<'project' | 'limit' | 'monthly', unknown>>,
) {
  const budget = readLimit(given);
  if (project === undefined || project === null) return { projectId: null, budget };
  const found = typeof project === 'string' ? await findProject(db, project) : null;
  if (!found) throw refuse('project_unknown');
  return { projectId: found.id, budget };
}

/** Fields that a request can set. */
const changeable = ['name', 'models', 'scopes', 'expires_at', 'jobs_at_once', 'jobs_per_day'] as const;
/** These members, not read yet. */
type Given = Readonly<Partial<Record<(typeof changeable)[number], unknown>>>;

/** The change that the body describes; absent fields stay as they are. */
function readChange(context: HttpContext, given: Given): KeyChange {
  const { name, models, scopes, expires_at, jobs_at_once, jobs_per_day } = given;
  const hasQuota = jobs_at_once !== undefined || jobs_per_day !== undefined;
  return {
    ...(name !== undefined && { name: readName(name) }),
    ...(models !== undefined && { models: readModels(context, models) }),
    ...(scopes !== undefined && { scopes: readScopes(scopes) }),
    ...(expires_at !== undefined && { expiresAt: readExpiry(expires_at) }),
    ...(hasQuota && {
      quota: {
        ...(jobs_at_once !== undefined && { atOnce: readCount('jobs_at_once', jobs_at_once) }),
        ...(jobs_per_day !== undefined && { perDay: readCount('jobs_per_day', jobs_per_day) }),
      },
    }),
  };
}

/** The name of the user that a new key belongs to; the request asks for the user of the console by `of_console`. */
function readUser(value: unknown): string {
  const name = typeof value === 'string' ? value : '';
  const fault = userNameError(name);
  return fault === null ? name : refuseField('user', fault);
}

/** The name of a key; null for none. */
function readName(value: unknown): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= maxNameLength && !/\p{Cc}/u.test(value)) return value;
  return refuseField('name', `must be at most ${maxNameLength} characters`);
}

/** Model ids that the key may use; null for all. */
function readModels({ servedModels }: HttpContext, value: unknown): readonly string[] | null {
  if (value === null) return null;
  if (!Array.isArray(value) || value.length === 0)
    return refuseField('models', 'must be a list, or null for all');
  const known = servedModels().all.map(({ id }) => id);
  const unknown = value.find(id => !known.includes(id));
  if (unknown !== undefined) refuseField('models', `${JSON.stringify(unknown)} is not a model id`);
  return value.map(String);
}

/** Scopes of the key; null for no limit. */
function readScopes(value: unknown): readonly Scope[] | null {
  if (value === null) return null;
  if (!Array.isArray(value) || value.length === 0 || !value.every(isScope))
    return refuseField('scopes', `must be a list of ${knownScopes.join(', ')}, or null for no limit`);
  return [...new Set(value)];
}

/** Epoch ms of its expiry; null for never. */
function readExpiry(value: unknown): number | null {
  if (value === null) return null;
  const isGiven = typeof value === 'string' || typeof value === 'number';
  return (
    (isGiven ? parseTime(String(value)) : null) ??
    refuseField('expires_at', 'must be a time: ISO 8601 or Unix seconds, or null for never')
  );
}

/** A quota; null for no limit. */
function readCount(name: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxJobs) return value;
  return refuseField(name, `must be a whole number from 1 to ${maxJobs}, or null for any number`);
}

/** A key without its secret. */
const keyBody = (key: ApiKey) => ({
  id: key.id,
  object: 'key',
  user: key.userName,
  name: key.name,
  hint: key.hint,
  models: key.models,
  scopes: key.scopes,
  jobs_at_once: key.quota?.atOnce ?? null,
  jobs_per_day: key.quota?.perDay ?? null,
  project: key.projectName,
  created_at: toUnixSeconds(key.createdAt),
  expires_at: key.expiresAt === null ? null : toUnixSeconds(key.expiresAt),
  revoked_at: key.revokedAt === null ? null : toUnixSeconds(key.revokedAt),
});

/** An id that cannot be one of ours is as unknown as one that is not there. */
const keyOfPath = (request: FastifyRequest) => keyIdFromRow(pathValue(request, 'keyId'));
