import type { FastifyRequest } from 'fastify';
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
import { type HttpContext, pathValue, type Route } from '../route.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { identifyOperator } from './identify-operator.ts';
import { operatorRequester } from './login-client.ts';

/** Who may use the console under a name of his own. */
export const listPeople = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/people',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request, 'admin');
    return { object: 'list', data: (await listInStore(parts.db)).map(personBody), has_more: false };
  },
});

export const addPerson = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/people',
  errors: 'detail',
  async handle(request) {
    const { actor } = await identifyOperator(parts, request);
    const given = await readAdminBody(request, ['name', 'role', 'password']);
    const wanted = { name: readName(given.name), role: readRole(given.role) };
    const asker = operatorRequester(request);
    const passwordHash = await parts.passwords.hash(readPassword(given.password), asker);
    const now = parts.clock.now();
    const person = await createPerson(parts.db, { ...wanted, passwordHash }, { actor, now });
    return personBody(person ?? refuseField('name', 'is taken'));
  },
});

/** Another role or password; the sessions of that person end. */
export const changePerson = (parts: HttpContext): Route => ({
  method: 'PUT',
  path: '/admin/v1/people/:personId',
  errors: 'detail',
  async handle(request) {
    const { actor } = await identifyOperator(parts, request);
    const asker = operatorRequester(request);
    const { role, password } = await readAdminBody(request, ['role', 'password']);
    const change = {
      ...(role !== undefined && { role: readRole(role) }),
      ...(password !== undefined && {
        passwordHash: await parts.passwords.hash(readPassword(password), asker),
      }),
    };
    const now = parts.clock.now();
    const person = await editPerson(parts.db, personOfPath(request), change, { actor, now });
    if (!person) throw refuse('person_unknown');
    return personBody(person);
  },
});

export const deletePerson = (parts: HttpContext): Route => ({
  method: 'DELETE',
  path: '/admin/v1/people/:personId',
  errors: 'detail',
  async handle(request) {
    const { actor } = await identifyOperator(parts, request);
    const id = personOfPath(request);
    if (!(await removePerson(parts.db, id, { actor, now: parts.clock.now() })))
      throw refuse('person_unknown');
    return { object: 'person', id, removed: true };
  },
});

const personOfPath = (request: FastifyRequest) => personIdFromRow(pathValue(request, 'personId'));

export function readName(value: unknown): string {
  if (typeof value === 'string' && /^[\p{L}\p{N}][\p{L}\p{N}._@ -]{0,99}$/u.test(value)) return value;
  return refuseField('name', 'must be 1 to 100 letters, digits, or . _ @ - and begin with a letter or digit');
}

function readRole(value: unknown): Role {
  return roles.find(role => role === value) ?? refuseField('role', `must be one of ${roles.join(', ')}`);
}

export function readPassword(value: unknown, field = 'password'): string {
  if (typeof value === 'string' && value.length >= minPasswordLength && value.length <= maxPasswordLength)
    return value;
  return refuseField(field, `must be ${minPasswordLength} to ${maxPasswordLength} characters`);
}

const personBody = ({ id, name, role, createdAt, changedAt }: Person) => ({
  id,
  object: 'person',
  name,
  role,
  created_at: toUnixSeconds(createdAt),
  changed_at: toUnixSeconds(changedAt),
});
