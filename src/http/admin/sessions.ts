import type { FastifyReply } from 'fastify';
import { openRate } from '../../admission/rate.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { hashPassword, isPassword } from '../../domain/person.ts';
import { refuse } from '../../domain/refusal.ts';
import { writeAudit } from '../../store/audit.ts';
import { readLogin } from '../../store/people.ts';
import type { HttpParts, Route } from '../parts.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { identifyOperator, isAdminToken, type Operator } from './identify-operator.ts';
import {
  csrfTokenOf,
  newSession,
  type Session,
  sealSession,
  sessionCookie,
  sessionLifeMs,
} from './session.ts';

/** Logins from one address: guesses at a password are slow, a person never notices. */
export const loginRate = { perSecond: 0.5, burst: 20 };

/** Begins a session: with the admin token, or with the name and the password of a person. */
export const beginSession = (parts: HttpParts): Route => {
  const takeFromLogins = openRate<string>(loginRate, parts.clock);
  return {
    method: 'POST',
    path: '/admin/v1/session',
    errors: 'detail',
    async handle(request, reply) {
      takeFromLogins(request.ip);
      const { token, name, password } = await readAdminBody(request, ['token', 'name', 'password']);
      const who =
        token !== undefined
          ? judgeToken(parts, readText('token', token))
          : await judgePassword(parts, readText('name', name), readText('password', password));
      return openSessionOf(parts, reply, who);
    },
  };
};

/** Gives the browser its cookie, and writes down whose it is. */
export async function openSessionOf(parts: HttpParts, reply: FastifyReply, who: Who) {
  const now = parts.clock.now();
  const session = newSession(who, now);
  await parts.db.transaction(tx =>
    writeAudit(tx, {
      at: now,
      actor: 'operator',
      action: 'session.begin',
      subject: who.person ?? 'admin',
      details: { name: who.name, role: who.role },
    }),
  );
  setCookie(parts, reply, sealSession(session, parts.sessionKey), sessionLifeMs);
  return sessionBody(parts, session);
}

/** Who is logged in; with the token that writes of this session carry. */
export const getSession = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/admin/v1/session',
  errors: 'detail',
  async handle(request) {
    const { session }: Operator = await identifyOperator(parts, request);
    if (!session) return { object: 'session', name: 'admin', role: 'admin', csrf_token: null, ends_at: null };
    return sessionBody(parts, session);
  },
});

/** The browser forgets it. */
export const endSession = (parts: HttpParts): Route => ({
  method: 'DELETE',
  path: '/admin/v1/session',
  errors: 'detail',
  async handle(request, reply) {
    await identifyOperator(parts, request, 'viewer');
    setCookie(parts, reply, '', 0);
    return { object: 'session', ended: true };
  },
});

type Who = Pick<Session, 'person' | 'name' | 'role'>;

function judgeToken(parts: HttpParts, token: string): Who {
  if (!isAdminToken(token.trim(), parts)) throw refuse('operator_token_invalid');
  return { person: null, name: 'admin', role: 'admin' };
}

async function judgePassword({ db }: HttpParts, name: string, password: string): Promise<Who> {
  const login = await readLogin(db, name.trim());
  // A name that is not there takes as long to refuse as a wrong password.
  const hash = login?.passwordHash ?? (await hashPassword(''));
  if (!(await isPassword(password, hash)) || !login) throw refuse('login_refused');
  return { person: login.person.id, name: login.person.name, role: login.person.role };
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= 500) return value;
  return refuseField(name, 'must be 1 to 500 characters');
}

function setCookie({ publicUrl }: HttpParts, reply: FastifyReply, sealed: string, lifeMs: number): void {
  reply.header('set-cookie', sessionCookie(sealed, lifeMs, publicUrl().startsWith('https:')));
}

const sessionBody = ({ sessionKey }: HttpParts, session: Session) => ({
  object: 'session',
  name: session.name,
  role: session.role,
  csrf_token: csrfTokenOf(session, sessionKey),
  ends_at: toUnixSeconds(session.endsAt),
});
