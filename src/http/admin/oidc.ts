/** The login by an identity provider: what the login page offers, the way there, and the way back. */

import type { FastifyRequest } from 'fastify';
import { loginSchema } from '../../answers/admin/session.ts';
import { constantTimeEqualText } from '../../domain/constant-time-equal.ts';
import type { PersonId } from '../../domain/ids.ts';
import type { Identity } from '../../domain/oidc.ts';
import { type RefusalName, refusals, refuse } from '../../domain/refusal.ts';
import { type AdmittedIdentity, enterByIdentity, leaveByIdentity } from '../../store/people/identities.ts';
import { hasPasswords } from '../../store/people/people.ts';
import { loginPageFrom } from '../answer-refusal.ts';
import type { HttpContext } from '../http-context.ts';
import { passwordRefusals, refusalsOf } from '../refusals-of-route.ts';
import { queryValue } from '../request-values.ts';
import type { OpenRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { checkLogin, cookieParts, loginClient } from './login-client.ts';
import {
  expiredPendingLoginCookie,
  hashSessionSecret,
  type PendingLoginCookie,
  pendingLoginCookie,
  readPendingLogin,
  readSessionSecret,
} from './session-cookies.ts';
import { issueSession } from './sessions.ts';

const startPath = '/admin/v1/login/oidc';
const callbackPath = `${startPath}/callback`;

/** Whether there is an identity provider, whether anybody has a password, and the sentence of a login that it refused; public. */
export const getLogin: OpenRoute = {
  method: 'GET',
  path: '/admin/v1/login',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Ways to log in.', body: loginSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async request => {
    const offer = context.oidc.offer();
    return {
      object: 'login',
      // With the host to which the identity provider leads back: the cookie has to be of the same one.
      oidc: offer && { label: offer.label, url: consoleUrl(context) + startPath },
      has_passwords: await hasPasswords(context.db),
      refused: sentenceOf(queryValue(request, 'refused')),
    };
  },
};

/** Leads the browser to the identity provider. */
export const beginOidcLogin: OpenRoute = {
  method: 'GET',
  path: startPath,
  auth: 'none',
  addressRate: 'public',
  errors: 'login-page',
  refusals: ['oidc_absent', 'oidc_unavailable'],
  answers: {
    303: { description: 'To the identity provider, or back to the login page.', body: null },
  },
  docs: { undocumented: adminApi },
  open: context => async (request, reply) => {
    const { address, pending } = await context.oidc.begin(consoleUrl(context) + callbackPath);
    const kept = cookieParts(context);
    const session = readSessionSecret(request.raw.headers.cookie, kept);
    const begun = { ...pending, replaces: session && hashSessionSecret(session), at: context.clock.now() };
    return reply.header('set-cookie', pendingLoginCookie(begun, kept)).redirect(address, 303);
  },
};

/** Where the identity provider leads the browser back: begins a session, once for each login that began. */
export const finishOidcLogin: OpenRoute = {
  method: 'GET',
  path: callbackPath,
  auth: 'none',
  addressRate: null,
  errors: 'login-page',
  refusals: [
    'oidc_absent',
    'oidc_unavailable',
    'oidc_state_wrong',
    'oidc_refused',
    'oidc_role_missing',
    ...passwordRefusals,
  ],
  answers: {
    303: { description: 'To the console, or back to the login page.', body: null },
  },
  docs: { undocumented: adminApi },
  open: context => async (request, reply) => {
    // Whatever comes of it: a login is finished once.
    reply.header('set-cookie', expiredPendingLoginCookie(cookieParts(context)));
    const { pending, identity } = await identify(context, request);
    await issueSession(context, { request, reply, device: null }, identity.names[0] ?? null, session =>
      enterByIdentity(context.db, identity, { ...session, replaces: pending.replaces }, context.clock.now()),
    );
    return reply.redirect(loginPageFrom(request.url, null), 303);
  },
};

/** Who came back, with a role; counted and recorded like every other login. */
async function identify(
  context: HttpContext,
  request: FastifyRequest,
): Promise<{ readonly pending: PendingLoginCookie; readonly identity: AdmittedIdentity }> {
  const client = loginClient(context, request, null);
  let known: { readonly subject: PersonId | 'unknown'; readonly name?: string } = { subject: 'unknown' };
  return checkLogin(
    context,
    { client: { ...client, device: null }, account: null },
    () => known,
    async () => {
      const pending = requirePending(context, request);
      const identity = await context.oidc.finish(callbackOf(context, request), pending);
      if (hasRole(identity)) return { pending, identity };
      const subject = (await leaveByIdentity(context.db, identity, context.clock.now())) ?? 'unknown';
      known = { subject, name: identity.names[0] ?? identity.subject };
      throw refuse('oidc_role_missing');
    },
  );
}

/** The login that began in this browser, if it is the one that comes back. */
function requirePending(context: HttpContext, request: FastifyRequest): PendingLoginCookie {
  const { cookie } = request.raw.headers;
  const pending = readPendingLogin(cookie, context.clock.now(), cookieParts(context));
  const state = queryValue(request, 'state') ?? '';
  if (!pending || !constantTimeEqualText(state, pending.state)) throw refuse('oidc_state_wrong');
  return pending;
}

/** The address as the identity provider was given it, with what it added. */
function callbackOf(context: HttpContext, request: FastifyRequest): URL {
  const url = new URL(consoleUrl(context) + callbackPath);
  url.search = request.url.split('?').slice(1).join('?');
  return url;
}

/** Behind some proxies the pages of operators have an address of their own. */
const consoleUrl = ({ oidc, publicUrl }: HttpContext): string => oidc.offer()?.consoleUrl ?? publicUrl();

const hasRole = (identity: Identity): identity is AdmittedIdentity => identity.role !== null;

/** Only for codes that these routes give: the address of the page may come from anywhere. */
function sentenceOf(code: string | undefined): string | null {
  const given = [beginOidcLogin, finishOidcLogin].flatMap(route => [...refusalsOf(route)]);
  const name: RefusalName | undefined = given.find(refusal => refusal === code);
  return name === undefined ? null : refusals[name].words;
}
