/** Accounts of people in the admin API. */

import type { FastifyRequest } from 'fastify';
import { personListSchema, personSchema, removedPersonSchema } from '../../answers/admin/person.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { personIdFromRow } from '../../domain/ids.ts';
import { maxPasswordLength, minPasswordLength, type Person, type Role, roles } from '../../domain/person.ts';
import { refuse } from '../../domain/refusal.ts';
import {
  createPerson,
  editPerson,
  listPeople as listInStore,
  removePerson,
} from '../../store/people/people.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import { pathValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { operatorRequester } from './login-client.ts';

/** People with an account of the console. */
export const listPeople: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/people',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Every person.', body: personListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    return { object: 'list', data: (await listInStore(context.db)).map(personBody), has_more: false };
  },
};

/** Creates an account with a name, a role and a password. */
export const addPerson: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/people',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'The new person.', body: personSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const given = await readAdminBody(request, ['name', 'role', 'password']);
      const wanted = { name: readName(given.name), role: readRole(given.role) };
      const requester = operatorRequester(request);
      const passwordHash = await context.passwords.hash(readPassword(given.password), requester);
      const now = context.clock.now();
      const person = await createPerson(context.db, { ...wanted, passwordHash }, { actor, now });
      return personBody(person ?? refuseField('name', 'is taken'));
    },
};

/** Changes role or password; the sessions of that person end. */
export const changePerson: AdminRoute = {
  method: 'PUT',
  path: '/admin/v1/people/:personId',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['person_unknown', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'The changed person.', body: personSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const requester = operatorRequester(request);
      const { role, password } = await readAdminBody(request, ['role', 'password']);
      const change = {
        ...(role !== undefined && { role: readRole(role) }),
        ...(password !== undefined && {
          passwordHash: await context.passwords.hash(readPassword(password), requester),
        }),
      };
      const now = context.clock.now();
      const person = await editPerson(context.db, personOfPath(request), change, { actor, now });
      if (!person) throw refuse('person_unknown');
      if (person === 'of_provider') return refuseField(role === undefined ? 'password' : 'role', ofProvider);
      return personBody(person);
    },
};

/** The reason of a refusal. */
const ofProvider = 'is that of the identity provider, which gives it at each login';

/** Removes an account; its sessions end. */
export const deletePerson: AdminRoute = {
  method: 'DELETE',
  path: '/admin/v1/people/:personId',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['person_unknown'],
  answers: {
    200: { description: 'The person is removed.', body: removedPersonSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const id = personOfPath(request);
      if (!(await removePerson(context.db, id, { actor, now: context.clock.now() })))
        throw refuse('person_unknown');
      return { object: 'person', id, removed: true };
    },
};

/** The id in the path; an unknown one is refused by the store. */
const personOfPath = (request: FastifyRequest) => personIdFromRow(pathValue(request, 'personId'));

/** The name of an account; throws a 422 for an invalid one. */
export function readName(value: unknown): string {
  if (typeof value === 'string' && /^[\p{L}\p{N}][\p{L}\p{N}._@ -]{0,99}$/u.test(value)) return value;
  return refuseField('name', 'must be 1 to 100 letters, digits, or . _ @ - and begin with a letter or digit');
}

/** One of the roles. */
function readRole(value: unknown): Role {
  return roles.find(role => role === value) ?? refuseField('role', `must be one of ${roles.join(', ')}`);
}

/** A password of valid length; `field` is the name of its field in the body. */
export function readPassword(value: unknown, field = 'password'): string {
  if (typeof value === 'string' && value.length >= minPasswordLength && value.length <= maxPasswordLength)
    return value;
  return refuseField(field, `must be ${minPasswordLength} to ${maxPasswordLength} characters`);
}

/** A person without the password hash. */
const personBody = ({ id, name, role, login, createdAt, changedAt }: Person) => ({
  id,
  object: 'person',
  name,
  role,
  login,
  created_at: toUnixSeconds(createdAt),
  changed_at: toUnixSeconds(changedAt),
});
