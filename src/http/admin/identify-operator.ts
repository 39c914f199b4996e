import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../../admission/authenticate.ts';
import { personIdFromRow } from '../../domain/ids.ts';
import { mayAct, type Role } from '../../domain/person.ts';
import { refuse } from '../../domain/refusal.ts';
import { isSameText } from '../../domain/same-bytes.ts';
import type { Actor } from '../../store/audit.ts';
import { readPerson } from '../../store/people.ts';
import type { HttpParts } from '../parts.ts';
import { csrfTokenOf, openSession, type Session } from './session.ts';

/** Whoever asks the admin API. */
export interface Operator {
  readonly name: string;
  readonly role: Role;
  /** As the audit names him. */
  readonly actor: Actor;
  /** Null: by the admin token itself. */
  readonly session: Session | null;
}

type GateParts = Pick<HttpParts, 'adminToken' | 'sessionKey' | 'db' | 'clock'>;

/**
 * The one gate of the admin API: the admin token as Bearer, or a session of the console with a role that
 * may do it. Unless it is said otherwise everybody may look, and an admin alone may change something.
 */
export async function identifyOperator(
  parts: GateParts,
  request: FastifyRequest,
  least: Role = request.method === 'GET' ? 'viewer' : 'admin',
): Promise<Operator> {
  const operator = await findOperator(parts, request);
  if (!mayAct(operator.role, least)) throw refuse('role_insufficient', { subject: operator.role });
  return operator;
}

async function findOperator(parts: GateParts, request: FastifyRequest): Promise<Operator> {
  const { authorization, cookie } = request.raw.headers;
  if (authorization === undefined && cookie !== undefined) return operatorOfSession(parts, request);
  const token = bearerOf(authorization);
  if (token === null || !isAdminToken(token, parts)) throw refuse('operator_token_invalid');
  return { name: 'admin', role: 'admin', actor: 'operator', session: null };
}

async function operatorOfSession(parts: GateParts, request: FastifyRequest): Promise<Operator> {
  const { db, clock, sessionKey } = parts;
  const session = openSession(request.raw.headers.cookie, sessionKey, clock.now());
  if (!session) throw refuse('session_ended');
  const csrf = [request.raw.headers['x-csrf-token']].flat().join();
  if (request.method !== 'GET' && !isSameText(csrf, csrfTokenOf(session, sessionKey)))
    throw refuse('csrf_missing');
  if (session.person === null) return { name: session.name, role: session.role, actor: 'operator', session };
  // Whoever was removed or given another role is out, or is what he is now, at once.
  const person = await readPerson(db, personIdFromRow(session.person));
  if (!person || person.changedAt > session.beganAt) throw refuse('session_ended');
  return { name: person.name, role: person.role, actor: person.id, session };
}

/** In a time that says nothing of where they differ, nor of how long they are. */
export const isAdminToken = (token: string, { adminToken }: Pick<HttpParts, 'adminToken'>): boolean =>
  timingSafeEqual(hashOf(token), hashOf(adminToken));

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
