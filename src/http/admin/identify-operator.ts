/** Authentication of the admin API: admin token, or session of the console. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../../admission/authenticate.ts';
import { minutes } from '../../domain/clock.ts';
import { constantTimeEqualText } from '../../domain/constant-time-equal.ts';
import { hasRoleAtLeast, type Role } from '../../domain/person.ts';
import { refuse } from '../../domain/refusal.ts';
import type { Session } from '../../domain/session.ts';
import type { Actor } from '../../store/people/audit.ts';
import { findSession, touchSession } from '../../store/people/sessions.ts';
import type { HttpContext } from '../http-context.ts';
import { cookieParts, refuseBearer } from './login-client.ts';
import { csrfTokenOf, hashSessionSecret, readSessionSecret } from './session-cookies.ts';

/** The caller of the admin API. */
export interface Operator {
  readonly name: string;
  readonly role: Role;
  /** As the audit records the operator. */
  readonly actor: Actor;
  /** Null: by the admin token itself. */
  readonly session: Session | null;
}

/** What a session, a token and the throttle of logins need. */
type OperatorDependencies = Pick<
  HttpContext,
  'adminToken' | 'sessionKey' | 'publicUrl' | 'db' | 'clock' | 'loginThrottle' | 'refusedLogins' | 'log'
>;

/** How often the last use of a session is written. */
const lastSeenIntervalMs = 1 * minutes;

/**
 * The gate of the admin API: the admin token as bearer token, or a session of the console with at least the role
 * `least`. A write of a session also needs its CSRF token.
 */
export async function identifyOperator(
  context: OperatorDependencies,
  request: FastifyRequest,
  least: Role,
): Promise<Operator> {
  const operator = await findOperator(context, request);
  if (!hasRoleAtLeast(operator.role, least)) throw refuse('role_insufficient', { subject: operator.role });
  return operator;
}

/** A bearer token comes first; a cookie counts where there is none. */
async function findOperator(context: OperatorDependencies, request: FastifyRequest): Promise<Operator> {
  const { authorization, cookie } = request.raw.headers;
  if (authorization === undefined && cookie !== undefined) return operatorOfSession(context, request);
  const token = bearerOf(authorization);
  if (token === null) throw refuse('operator_token_invalid');
  if (!isAdminToken(token, context)) return refuseBearer(context, request);
  return { name: 'admin', role: 'admin', actor: 'operator', session: null };
}

/** The operator of a session cookie; a write needs the CSRF token of the session. */
async function operatorOfSession(context: OperatorDependencies, request: FastifyRequest): Promise<Operator> {
  const { db, clock, sessionKey } = context;
  const secret = readSessionSecret(request.raw.headers.cookie, cookieParts(context));
  // Read for each request: a session that any process ended is refused at once by all.
  const session = secret === null ? null : await findSession(db, hashSessionSecret(secret), clock.now());
  if (!session) throw refuse('session_ended');
  const csrf = [request.raw.headers['x-csrf-token']].flat().join();
  if (request.method !== 'GET' && !constantTimeEqualText(csrf, csrfTokenOf(session, sessionKey)))
    throw refuse('csrf_missing');
  await updateLastSeen(context, session);
  return { name: session.name, role: session.role, actor: session.person ?? 'operator', session };
}

/** A full disk does not lock an operator out. */
async function updateLastSeen(
  { db, clock, log }: OperatorDependencies,
  { id, seenAt }: Session,
): Promise<void> {
  const now = clock.now();
  if (now < seenAt + lastSeenIntervalMs) return;
  await touchSession(db, id, now).catch(failure =>
    log.warn({ err: failure }, 'session last-seen update failed'),
  );
}

/** Compares in constant time, whatever the lengths. */
export const isAdminToken = (token: string, { adminToken }: Pick<HttpContext, 'adminToken'>): boolean =>
  timingSafeEqual(hashOf(token), hashOf(adminToken));

/** Tokens are compared by their hashes, which have one length. */
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
