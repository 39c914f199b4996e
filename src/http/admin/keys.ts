import type { FastifyRequest } from 'fastify';
import { parseTime, toUnixSeconds } from '../../domain/clock.ts';
import { keyIdFromRow } from '../../domain/ids.ts';
import { type ApiKey, isScope, scopes as knownScopes, type Scope } from '../../domain/key.ts';
import { refuse } from '../../domain/refusal.ts';
import { userNameError } from '../../domain/user-name.ts';
import { createKey, editKey, type KeyChange, listKeys, revokeKey } from '../../store/people/keys.ts';
import { type HttpContext, pathValue, type Route } from '../route.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { identifyOperator } from './identify-operator.ts';

const maxNameLength = 100;
const maxJobs = 1_000_000_000;

/** Every key without its secret, the newest first. */
export const listAllKeys = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/keys',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    const keys = await listKeys(parts.db);
    return { object: 'list', data: keys.toReversed().map(keyBody), has_more: false };
  },
});

/** A new key, with its secret: this once. */
export const makeKey = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/keys',
  errors: 'detail',
  async handle(request) {
    const { actor } = await identifyOperator(parts, request);
    const { user, ...given } = await readAdminBody(request, ['user', ...changeable]);
    const change = readChange(parts, given);
    const now = parts.clock.now();
    const nothing = { name: null, models: null, expiresAt: null };
    const wanted = { ...nothing, ...change, userName: readUser(user) };
    const { key, secret } = await createKey(parts.db, wanted, now, actor);
    const made = change.quota
      ? await editKey(parts.db, key.id, { quota: change.quota }, { actor, now })
      : key;
    return { ...keyBody(made ?? key), secret };
  },
});

/** What is named is changed; the secret never is. */
export const changeKey = (parts: HttpContext): Route => ({
  method: 'PUT',
  path: '/admin/v1/keys/:keyId',
  errors: 'detail',
  async handle(request) {
    const { actor } = await identifyOperator(parts, request);
    const change = readChange(parts, await readAdminBody(request, changeable));
    const id = keyOfPath(request);
    const key = await editKey(parts.db, id, change, { actor, now: parts.clock.now() });
    if (!key) throw refuse('key_unknown');
    return keyBody(key);
  },
});

/** Turned away everywhere at once. */
export const revokeApiKey = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/keys/:keyId/revoke',
  errors: 'detail',
  async handle(request) {
    const { actor } = await identifyOperator(parts, request);
    const id = keyOfPath(request);
    if (!(await revokeKey(parts.db, id, parts.clock.now(), actor))) throw refuse('key_unknown');
    return { object: 'key', id, revoked: true };
  },
});

const changeable = ['name', 'models', 'scopes', 'expires_at', 'jobs_at_once', 'jobs_per_day'] as const;
type Given = Readonly<Partial<Record<(typeof changeable)[number], unknown>>>;

function readChange(parts: HttpContext, given: Given): KeyChange {
  const { name, models, scopes, expires_at, jobs_at_once, jobs_per_day } = given;
  const hasQuota = jobs_at_once !== undefined || jobs_per_day !== undefined;
  return {
    ...(name !== undefined && { name: readName(name) }),
    ...(models !== undefined && { models: readModels(parts, models) }),
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

function readUser(value: unknown): string {
  const name = typeof value === 'string' ? value : '';
  const fault = userNameError(name);
  return fault === null ? name : refuseField('user', fault);
}

function readName(value: unknown): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= maxNameLength && !/\p{Cc}/u.test(value)) return value;
  return refuseField('name', `must be at most ${maxNameLength} characters`);
}

function readModels({ servedModels }: HttpContext, value: unknown): readonly string[] | null {
  if (value === null) return null;
  if (!Array.isArray(value) || value.length === 0)
    return refuseField('models', 'must be a list, or null for all');
  const known = servedModels().all.map(({ id }) => id);
  const unknown = value.find(id => !known.includes(id));
  if (unknown !== undefined) refuseField('models', `${JSON.stringify(unknown)} is no model`);
  return value.map(String);
}

function readScopes(value: unknown): readonly Scope[] | null {
  if (value === null) return null;
  if (!Array.isArray(value) || value.length === 0 || !value.every(isScope))
    return refuseField('scopes', `must be a list of ${knownScopes.join(', ')}, or null for no limit`);
  return [...new Set(value)];
}

function readExpiry(value: unknown): number | null {
  if (value === null) return null;
  const isTold = typeof value === 'string' || typeof value === 'number';
  return (
    (isTold ? parseTime(String(value)) : null) ??
    refuseField('expires_at', 'must be a time: ISO 8601 or Unix seconds, or null for never')
  );
}

function readCount(name: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxJobs) return value;
  return refuseField(name, `must be a whole number from 1 to ${maxJobs}, or null for any number`);
}

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
  created_at: toUnixSeconds(key.createdAt),
  expires_at: key.expiresAt === null ? null : toUnixSeconds(key.expiresAt),
  revoked_at: key.revokedAt === null ? null : toUnixSeconds(key.revokedAt),
});

/** An id that cannot be one of ours is as unknown as one that is not there. */
const keyOfPath = (request: FastifyRequest) => keyIdFromRow(pathValue(request, 'keyId'));
