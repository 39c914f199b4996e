/** Login, logout and the list of sessions. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  endedSessionSchema,
  endedSessionsSchema,
  sessionListSchema,
  sessionSchema,
} from '../../answers/admin/session.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { sessionIdFromRow } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import type { Session } from '../../domain/session.ts';
import { type Login, readLogin, upgradePasswordHash } from '../../store/people/people.ts';
import {
  beginSession as beginInStore,
  endSession as endInStore,
  endOtherSessions,
  listSessions as listInStore,
  type NewSession,
  type SessionOwner,
  type SessionsOf,
} from '../../store/people/sessions.ts';
import { clientAddress } from '../client-address.ts';
import type { HttpContext } from '../http-context.ts';
import { jsonBodyRefusals, passwordRefusals } from '../refusals-of-route.ts';
import { pathValue } from '../request-values.ts';
import type { OpenRoute, SessionRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { isAdminToken, type Operator } from './identify-operator.ts';
import { checkLogin, cookieParts, loginClient } from './login-client.ts';
import {
  csrfTokenOf,
  type Device,
  deviceCookie,
  expiredSessionCookie,
  hashSessionSecret,
  newSessionSecret,
  readSessionSecret,
  sessionCookie,
} from './session-cookies.ts';

/** Characters that are stored of a browser's name for itself. */
const maxUserAgent = 200;
/** More live sessions than a team has; the newest are shown. */
const shownSessions = 500;

/** Begins a session: with the admin token, or with the name and the password of a person. */
export const beginSession: OpenRoute = {
  method: 'POST',
  path: '/admin/v1/session',
  auth: 'none',
  addressRate: null,
  errors: 'detail',
  refusals: [
    'operator_token_invalid',
    'login_refused',
    'input_invalid',
    ...passwordRefusals,
    ...jsonBodyRefusals,
  ],
  answers: {
    200: { description: 'The new session.', body: sessionSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (request, reply) => {
    const { token, name, password } = await readAdminBody(request, ['token', 'name', 'password']);
    return token !== undefined
      ? beginByToken(context, readText('token', token), request, reply)
      : beginByPassword(context, { name: readText('name', name).trim(), password }, request, reply);
  },
};

/** Login with the admin token. */
async function beginByToken(
  context: HttpContext,
  token: string,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const client = loginClient(context, request, null);
  await checkLogin(
    context,
    { client, account: null },
    () => 'admin',
    async () => {
      if (!isAdminToken(token.trim(), context)) throw refuse('operator_token_invalid');
    },
  );
  // The token belongs to no person: its sessions have none.
  return openSessionOf(context, { request, reply, device: client.device }, null);
}

/** Login with name and password. */
async function beginByPassword(
  context: HttpContext,
  { name, password }: { readonly name: string; readonly password: unknown },
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const given = readText('password', password);
  const client = loginClient(context, request, name);
  const read = () => readLogin(context.db, name);
  const { person } = await checkLogin(
    context,
    { client, account: name },
    async () => (await read())?.person.id ?? 'unknown',
    async () => {
      const login = await read();
      // An unknown name takes as long to refuse as a wrong password.
      const verdict = await context.passwords.verify(given, login?.passwordHash ?? null, client.requester);
      if (!verdict.isValid || !login) throw refuse('login_refused');
      await upgradeHash(context, login, verdict.upgradedHash);
      return login;
    },
  );
  return openSessionOf(context, { request, reply, device: client.device }, person);
}

/** Stores a hash with the present cost; null where it has that already. */
async function upgradeHash({ db }: HttpContext, { person, passwordHash }: Login, upgraded: string | null) {
  if (upgraded === null) return;
  await upgradePasswordHash(db, { id: person.id, before: passwordHash, after: upgraded });
}

/** A session that begins, and the browser in which it does. */
export interface SessionStart {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly device: Device | null;
}

/** Begins a session in the store and sets the cookies of the browser. */
export async function openSessionOf(context: HttpContext, entry: SessionStart, owner: SessionOwner) {
  return issueSession(context, entry, owner?.name ?? null, session =>
    beginInStore(context.db, { ...session, owner }, context.clock.now()),
  );
}

/** The same where `begin` writes the row in a transaction with something else. */
export async function issueSession(
  context: HttpContext,
  { request, reply, device }: SessionStart,
  account: string | null,
  begin: (session: Omit<NewSession, 'owner'>) => Promise<Session>,
) {
  const secret = newSessionSecret();
  const kept = cookieParts(context);
  const before = readSessionSecret(request.raw.headers.cookie, kept);
  const session = await begin({
    secretHash: hashSessionSecret(secret),
    // A browser has one session: the one that it had ends with the login.
    replaces: before && hashSessionSecret(before),
    address: clientAddress(request),
    userAgent: userAgentOf(request),
  });
  const browser = { account, before: device, now: context.clock.now() };
  reply.header('set-cookie', [sessionCookie(secret, kept), deviceCookie(browser, kept)]);
  return sessionBody(context, session);
}

/** The user agent for the list of sessions, without control characters and bounded. */
const userAgentOf = ({ raw }: FastifyRequest): string =>
  (raw.headers['user-agent'] ?? '').replace(/\p{C}/gu, '').slice(0, maxUserAgent);

/** The session of the request, with the CSRF token that its writes send. */
export const getSession: SessionRoute = {
  method: 'GET',
  path: '/admin/v1/session',
  auth: 'session',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'The session.', body: sessionSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ session }) => {
      // A request with the admin token in its header: it has no session, and needs no CSRF token.
      if (!session)
        return {
          object: 'session',
          id: null,
          name: 'admin',
          role: 'admin',
          login: 'token',
          person: null,
          csrf_token: null,
          ends_at: null,
        };
      return sessionBody(context, session);
    },
};

/** Logout. */
export const endSession: SessionRoute = {
  method: 'DELETE',
  path: '/admin/v1/session',
  auth: 'session',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'The session is ended.', body: endedSessionSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ session, actor }, _request, reply) => {
      if (session) await endInStore(context.db, session.id, 'everybody', { actor, now: context.clock.now() });
      // Also where the session had ended before, so that the browser forgets it.
      reply.header('set-cookie', expiredSessionCookie(cookieParts(context)));
      return { object: 'session', ended: true };
    },
};

/** Live sessions of the operator; those of all people for an admin. */
export const listSessions: SessionRoute = {
  method: 'GET',
  path: '/admin/v1/sessions',
  auth: 'session',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Live sessions.', body: sessionListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async operator => {
    const page = { now: context.clock.now(), limit: shownSessions + 1 };
    const sessions = await listInStore(context.db, sessionsOf(operator), page);
    const data = sessions.slice(0, shownSessions).map(session => sessionListBody(session, operator));
    return { object: 'list', data, has_more: sessions.length > shownSessions };
  },
};

/** Ends one of the sessions that the operator may list. */
export const endOneSession: SessionRoute = {
  method: 'DELETE',
  path: '/admin/v1/sessions/:sessionId',
  auth: 'session',
  errors: 'detail',
  refusals: ['session_unknown'],
  answers: {
    200: { description: 'The session is ended.', body: endedSessionSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (operator, request) => {
    const id = sessionIdFromRow(pathValue(request, 'sessionId'));
    const ending = { actor: operator.actor, now: context.clock.now() };
    if (!(await endInStore(context.db, id, sessionsOf(operator), ending))) throw refuse('session_unknown');
    return { object: 'session', id, ended: true };
  },
};

/** Every listed session except that of the request. */
export const endAllOtherSessions: SessionRoute = {
  method: 'DELETE',
  path: '/admin/v1/sessions',
  auth: 'session',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'The sessions are ended.', body: endedSessionsSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async operator => {
    const ending = { actor: operator.actor, now: context.clock.now() };
    // An operator by the admin token itself has no session to spare.
    const but = operator.session?.id ?? null;
    return {
      object: 'sessions',
      ended: await endOtherSessions(context.db, sessionsOf(operator), but, ending),
    };
  },
};

/** Sessions that an operator may list and end: an admin's are all, those of other roles are of the same person. */
const sessionsOf = ({ role, session }: Operator): SessionsOf =>
  role === 'admin' ? 'everybody' : (session?.person ?? 'everybody');

/** Text of 1 to 500 characters; throws a 422 that names the field. */
export function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= 500) return value;
  return refuseField(name, 'must be 1 to 500 characters');
}

/** The session of a request, with its CSRF token. */
const sessionBody = ({ sessionKey }: HttpContext, session: Session) => ({
  object: 'session',
  id: session.id,
  name: session.name,
  role: session.role,
  login: session.login,
  person: session.person,
  csrf_token: csrfTokenOf(session, sessionKey),
  ends_at: toUnixSeconds(session.endsAt),
});

/** A session in the list; its CSRF token is not shown. */
const sessionListBody = (session: Session, operator: Operator) => ({
  object: 'session',
  id: session.id,
  person: session.person,
  name: session.name,
  role: session.role,
  began_at: toUnixSeconds(session.beganAt),
  last_seen_at: toUnixSeconds(session.seenAt),
  ends_at: toUnixSeconds(session.endsAt),
  address: session.address,
  user_agent: session.userAgent,
  current: session.id === operator.session?.id,
});
