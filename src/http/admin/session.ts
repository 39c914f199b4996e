import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { hours } from '../../domain/clock.ts';
import { roles } from '../../domain/person.ts';
import { isSameText } from '../../domain/same-bytes.ts';

/** A login of the console: signed, kept by the browser alone, and out of reach of its scripts. */
export type Session = z.output<typeof sessionSchema>;

const sessionSchema = z.strictObject({
  id: z.string(),
  /** Null: it began with the admin token. */
  person: z.string().nullable(),
  name: z.string(),
  role: z.enum(roles),
  /** Epoch ms. */
  beganAt: z.number(),
  endsAt: z.number(),
});

export const sessionLifeMs = 12 * hours;
const cookieName = 'atelier_session';

export function newSession(who: Pick<Session, 'person' | 'name' | 'role'>, now: number): Session {
  return { id: randomBytes(16).toString('base64url'), ...who, beganAt: now, endsAt: now + sessionLifeMs };
}

/** The value of the cookie: what it says, and the signature over it. */
export function sealSession(session: Session, sessionKey: string): string {
  const told = Buffer.from(JSON.stringify(session)).toString('base64url');
  return `${told}.${signatureOf(told, sessionKey)}`;
}

/** Null for what is not ours, was changed, or has ended. */
export function openSession(cookies: string | undefined, sessionKey: string, now: number): Session | null {
  const sealed = cookieOf(cookies);
  const [told, signature] = sealed?.split('.', 2) ?? [];
  if (told === undefined || signature === undefined) return null;
  if (!isSameText(signature, signatureOf(told, sessionKey))) return null;
  const session = sessionSchema.safeParse(JSON.parse(Buffer.from(told, 'base64url').toString())).data;
  return session && session.endsAt > now ? session : null;
}

/** Sent along with every write of a session: another site has the cookie's ear, never this word. */
export const csrfTokenOf = ({ id }: Session, sessionKey: string): string =>
  signatureOf(`csrf ${id}`, sessionKey);

/** `isSecure`: the console is reached by https, and the cookie never travels otherwise. */
export function sessionCookie(sealed: string, lifeMs: number, isSecure: boolean): string {
  const parts = [
    `${cookieName}=${sealed}`,
    'Path=/',
    `Max-Age=${lifeMs / 1000}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}

const signatureOf = (text: string, sessionKey: string): string =>
  createHmac('sha256', sessionKey).update(text).digest('base64url');

function cookieOf(cookies: string | undefined): string | undefined {
  const pair = cookies?.split(';').find(part => part.trim().startsWith(`${cookieName}=`));
  return pair?.trim().slice(cookieName.length + 1);
}
