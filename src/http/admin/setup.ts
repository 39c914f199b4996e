import { refuse } from '../../domain/refusal.ts';
import { createFirstPerson } from '../../store/people/people.ts';
import { isSetupOpen, verifySetupCode } from '../../store/people/setup.ts';
import type { HttpContext, Route } from '../route.ts';
import { readAdminBody } from './admin-body.ts';
import { identifyOperator } from './identify-operator.ts';
import { checkLogin, loginClient } from './login-client.ts';
import { readName, readPassword } from './people.ts';
import { openSessionOf } from './sessions.ts';

/** Whether the first account is still to be made. Anybody may know. */
export const getSetup = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/setup',
  errors: 'detail',
  handle: async () => ({ object: 'setup', open: await isSetupOpen(parts.db) }),
});

/** Makes the first account, an admin, and begins its session. Once, by whoever has the code of the setup's address. */
export const makeFirstPerson = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/setup',
  errors: 'detail',
  async handle(request, reply) {
    const { code, name, password } = await readAdminBody(request, ['code', 'name', 'password']);
    const client = loginClient(parts, request, null);
    const wanted = await checkLogin(
      parts,
      { client, account: null },
      () => 'setup',
      async () => {
        const verdict = await verifySetupCode(parts.db, String(code), parts.clock.now());
        if (verdict === 'over') throw refuse('setup_is_over');
        if (verdict === 'wrong') throw refuse('setup_code_wrong');
        const [told, secret] = [readName(name), readPassword(password)];
        return { name: told, passwordHash: await parts.passwords.hash(secret, client.requester) };
      },
    );
    const person = await createFirstPerson(parts.db, wanted, parts.clock.now());
    if (!person) throw refuse('setup_is_over');
    return openSessionOf(parts, { request, reply, device: null }, person);
  },
});

/** What an installation is looked at for before it is used. */
export const getChecks = (parts: HttpContext): Route => ({
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
