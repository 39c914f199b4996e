/** Change of the operator's own password. */

import { sessionSchema } from '../../answers/admin/session.ts';
import { Refusal, refuse } from '../../domain/refusal.ts';
import { changeOwnPassword, readLogin } from '../../store/people/people.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import type { SessionRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { checkLogin, loginClient, operatorRequester } from './login-client.ts';
import { readPassword } from './people.ts';
import { issueSession, readText } from './sessions.ts';

/** Changes the operator's password: every session of the person ends, and this browser gets a new one. */
export const changePassword: SessionRoute = {
  method: 'PUT',
  path: '/admin/v1/session/password',
  auth: 'session',
  errors: 'detail',
  refusals: ['password_absent', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'A new session with the new password.', body: sessionSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ session }, request, reply) => {
      const { current, new: next } = await readAdminBody(request, ['current', 'new']);
      // A session of the admin token belongs to no person, and that of an identity provider has its password there.
      if (!session || session.person === null || session.login === 'oidc') throw refuse('password_absent');
      const [given, wanted] = [readText('current', current), readPassword(next, 'new')];
      const { name, person: id } = session;
      const requester = operatorRequester(request);
      const { device, ...client } = loginClient(context, request, name);
      // The session has a rate of its own, so that password guesses by others do not lock its owner out.
      const ownRate = { account: name, id: session.id, at: session.beganAt };
      const before = await checkLogin(
        context,
        { client: { ...client, device: ownRate }, account: name },
        () => id,
        async () => {
          const login = await readLogin(context.db, name);
          const verdict = await context.passwords.verify(given, login?.passwordHash ?? null, requester);
          if (!verdict.isValid || !login) throw refuse('login_refused');
          return login.passwordHash;
        },
      ).catch(asFieldRefusal);
      const after = await context.passwords.hash(wanted, requester);
      return issueSession(context, { request, reply, device }, name, async begun => {
        const began = await changeOwnPassword(context.db, { id, before, after }, begun, context.clock.now());
        // Another change came first, or the person was removed meanwhile.
        if (!began) throw refuse('session_ended');
        return began;
      });
    },
};

/** A wrong current password is a fault of the field: a 401 would log the console out. */
function asFieldRefusal(failure: unknown): never {
  if (failure instanceof Refusal && failure.refusal === 'login_refused')
    refuseField('current', 'is not your password');
  throw failure;
}
