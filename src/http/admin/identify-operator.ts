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

/** Whoever asks the admin API. */
export interface Operator {
  readonly name: string;
  readonly role: Role;
  /** As the audit names him. */
  readonly actor: Actor;
  /** Null: by the admin token itself. */
  readonly session: Session | null;
}

type OperatorDependencies = Pick<
  HttpContext,
  'adminToken' | 'sessionKey' | 'publicUrl' | 'db' | 'clock' | 'loginThrottle' | 'refusedLogins' | 'log'
>;

/** How often it is written down that a session is in use. */
const lastSeenIntervalMs = 1 * minutes;

/**
 * The one gate of the admin API: the admin token as Bearer, or a session of the console with a role that
 * may do it. Unless it is said otherwise everybody may look, and an admin alone may change something.
 */
export async function identifyOperator(
  context: OperatorDependencies,
  request: FastifyRequest,
  least: Role = request.method === 'GET' ? 'viewer' : 'admin',
): Promise<Operator> {
  const operator = await findOperator(context, request);
  if (!hasRoleAtLeast(operator.role, least)) throw refuse('role_insufficient', { subject: operator.role });
  return operator;
}

async function findOperator(context: OperatorDependencies, request: FastifyRequest): Promise<Operator> {
  const { authorization, cookie } = request.raw.headers;
  if (authorization === undefined && cookie !== undefined) return operatorOfSession(context, request);
  const token = bearerOf(authorization);
  if (token === null) throw refuse('operator_token_invalid');
  if (!isAdminToken(token, context)) return refuseBearer(context, request);
  return { name: 'admin', role: 'admin', actor: 'operator', session: null };
}

async function operatorOfSession(context: OperatorDependencies, request: FastifyRequest): Promise<Operator> {
  const { db, clock, sessionKey } = context;
  const secret = readSessionSecret(request.raw.headers.cookie, cookieParts(context));
  // Read anew each time: a session that was ended, by whatever process, is refused at once by all.
  const session = secret === null ? null : await findSession(db, hashSessionSecret(secret), clock.now());
  if (!session) throw refuse('session_ended');
  const csrf = [request.raw.headers['x-csrf-token']].flat().join();
  if (request.method !== 'GET' && !constantTimeEqualText(csrf, csrfTokenOf(session, sessionKey)))
    throw refuse('csrf_missing');
  await updateLastSeen(context, session);
  return { name: session.name, role: session.role, actor: session.person ?? 'operator', session };
}

/** A disk that is full does not keep an operator from looking. */
async function updateLastSeen(
  { db, clock, log }: OperatorDependencies,
  { id, seenAt }: Session,
): Promise<void> {
  const now = clock.now();
  if (now < seenAt + lastSeenIntervalMs) return;
  await touchSession(db, id, now).catch(failure =>
    log.warn({ err: failure }, 'it could not be written that a session is in use'),
  );
}

/** In a time that says nothing of where they differ, nor of how long they are. */
export const isAdminToken = (token: string, { adminToken }: Pick<HttpContext, 'adminToken'>): boolean =>
  timingSafeEqual(hashOf(token), hashOf(adminToken));

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
