import { Refusal, refuse } from '../../domain/refusal.ts';
import { changeOwnPassword, readLogin } from '../../store/people/people.ts';
import type { HttpContext, Route } from '../route.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { identifyOperator } from './identify-operator.ts';
import { checkLogin, loginClient, operatorRequester } from './login-client.ts';
import { readPassword } from './people.ts';
import { issueSession, readText } from './sessions.ts';

/** Another password for oneself: every session of the person ends, and this browser is given a new one. */
export const changePassword = (parts: HttpContext): Route => ({
  method: 'PUT',
  path: '/admin/v1/session/password',
  errors: 'detail',
  async handle(request, reply) {
    const { session } = await identifyOperator(parts, request, 'viewer');
    const { current, new: next } = await readAdminBody(request, ['current', 'new']);
    if (!session || session.person === null) throw refuse('password_absent');
    const [given, wanted] = [readText('current', current), readPassword(next, 'new')];
    const { name, person: id } = session;
    const asker = operatorRequester(request);
    const { device, ...client } = loginClient(parts, request, name);
    // Guesses at the account by strangers do not keep its owner from changing it: the session has a rate of its own.
    const ownRate = { account: name, id: session.id, at: session.beganAt };
    const before = await checkLogin(
      parts,
      { client: { ...client, device: ownRate }, account: name },
      () => id,
      async () => {
        const login = await readLogin(parts.db, name);
        const verdict = await parts.passwords.verify(given, login?.passwordHash ?? null, asker);
        if (!verdict.isValid || !login) throw refuse('login_refused');
        return login.passwordHash;
      },
    ).catch(asFieldRefusal);
    const after = await parts.passwords.hash(wanted, asker);
    return issueSession(parts, { request, reply, device }, name, async begun => {
      const began = await changeOwnPassword(parts.db, { id, before, after }, begun, parts.clock.now());
      if (!began) throw refuse('session_ended');
      return began;
    });
  },
});

/** The session is right, only the field is wrong: a 401 would log the console out. */
function asFieldRefusal(failure: unknown): never {
  if (failure instanceof Refusal && failure.refusal === 'login_refused')
    refuseField('current', 'is not your password');
  throw failure;
}
