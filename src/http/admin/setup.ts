/** The first account of a new installation, and its checks. */

import { checksSchema, sessionSchema, setupSchema } from '../../answers/admin/session.ts';
import { refuse } from '../../domain/refusal.ts';
import { createFirstPerson } from '../../store/people/people.ts';
import { isSetupOpen, verifySetupCode } from '../../store/people/setup.ts';
import { jsonBodyRefusals, passwordRefusals } from '../refusals-of-route.ts';
import type { AdminRoute, OpenRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody } from './admin-body.ts';
import { checkLogin, loginClient } from './login-client.ts';
import { readName, readPassword } from './people.ts';
import { openSessionOf } from './sessions.ts';

/** Whether the first account can still be created; public. */
export const getSetup: OpenRoute = {
  method: 'GET',
  path: '/admin/v1/setup',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Whether setup is open.', body: setupSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => ({ object: 'setup', open: await isSetupOpen(context.db) }),
};

/** Creates the first account, an admin, and begins its session: once, with the code of the setup URL. */
export const makeFirstPerson: OpenRoute = {
  method: 'POST',
  path: '/admin/v1/setup',
  auth: 'none',
  addressRate: null,
  errors: 'detail',
  refusals: ['setup_is_over', 'setup_code_wrong', 'input_invalid', ...passwordRefusals, ...jsonBodyRefusals],
  answers: {
    200: { description: 'The session of the new account.', body: sessionSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (request, reply) => {
    const { code, name, password } = await readAdminBody(request, ['code', 'name', 'password']);
    const client = loginClient(context, request, null);
    // Wrong codes count like wrong passwords: guesses are slowed down by address.
    const wanted = await checkLogin(
      context,
      { client, account: null },
      () => 'setup',
      async () => {
        const verdict = await verifySetupCode(context.db, String(code), context.clock.now());
        if (verdict === 'over') throw refuse('setup_is_over');
        if (verdict === 'wrong') throw refuse('setup_code_wrong');
        const [checkedName, secret] = [readName(name), readPassword(password)];
        return { name: checkedName, passwordHash: await context.passwords.hash(secret, client.requester) };
      },
    );
    // Null where another browser was quicker: setup is over then.
    const person = await createFirstPerson(context.db, wanted, context.clock.now());
    if (!person) throw refuse('setup_is_over');
    return openSessionOf(context, { request, reply, device: null }, person);
  },
};

/** Checks of a new installation. */
export const getChecks: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/checks',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'The checks.', body: checksSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    return {
      object: 'checks',
      // Only the browser can check it, because it knows the URL that it used.
      public_url: context.publicUrl(),
      storage_fault: await context.blobs.check().then(
        () => null,
        (failure: unknown) => (failure instanceof Error ? failure.message : String(failure)),
      ),
      not_ready: await context.whyNotReady(),
    };
  },
};
