import { openRate } from '../../admission/rate.ts';
import { hashPassword } from '../../domain/person.ts';
import { refuse } from '../../domain/refusal.ts';
import { isSameText } from '../../domain/same-bytes.ts';
import { createFirstPerson, isSetupOpen } from '../../store/people.ts';
import type { HttpParts, Route } from '../parts.ts';
import { readAdminBody } from './admin-body.ts';
import { identifyOperator } from './identify-operator.ts';
import { readName, readPassword } from './people.ts';
import { loginRate, openSessionOf } from './sessions.ts';

/** Whether the first account is still to be made. Anybody may know. */
export const getSetup = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/admin/v1/setup',
  errors: 'detail',
  handle: async () => ({ object: 'setup', open: await isSetupOpen(parts.db) }),
});

/** Makes the first account, an admin, and begins its session. Once, by whoever has the code of the banner. */
export const makeFirstPerson = (parts: HttpParts): Route => {
  const takeFromLogins = openRate<string>(loginRate, parts.clock);
  return {
    method: 'POST',
    path: '/admin/v1/setup',
    errors: 'detail',
    async handle(request, reply) {
      takeFromLogins(request.ip);
      const { code, name, password } = await readAdminBody(request, ['code', 'name', 'password']);
      if (typeof code !== 'string' || !isSameText(code, parts.setupCode)) throw refuse('setup_code_wrong');
      if (!(await isSetupOpen(parts.db))) throw refuse('setup_is_over');
      const wanted = { name: readName(name), passwordHash: await hashPassword(readPassword(password)) };
      const person = await createFirstPerson(parts.db, wanted, parts.clock.now());
      if (!person) throw refuse('setup_is_over');
      return openSessionOf(parts, reply, { person: person.id, name: person.name, role: person.role });
    },
  };
};

/** What an installation is looked at for before it is used. */
export const getChecks = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/admin/v1/checks',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    return {
      object: 'checks',
      // Only a browser can tell whether it is right: it knows by which address it came.
      public_url: parts.publicUrl(),
      storage_fault: await parts.blobs.check().then(
        () => null,
        (failure: unknown) => (failure instanceof Error ? failure.message : String(failure)),
      ),
      not_ready: await parts.whyNotReady(),
    };
  },
});
