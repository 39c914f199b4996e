import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { days, seconds } from '../../domain/clock.ts';
import { constantTimeEqualText } from '../../domain/constant-time-equal.ts';
import { type Session, sessionLifeMs } from '../../domain/session.ts';

/**
 * The cookies of the console. That of a session is a random secret and our signature, which spares the database
 * every made-up one; whether it counts is told by its row. That of a browser says which account logged in there.
 */
export interface CookieOptions {
  readonly sessionKey: string;
  /** The console is reached by https: cookies travel by nothing else, and no other host can set them. */
  readonly isSecure: boolean;
}

/** A browser in which somebody logged in to that account. */
export type Device = z.output<typeof deviceSchema>;

const deviceSchema = z.strictObject({
  /** The name of the account; null: the admin token. */
  account: z.string().nullable(),
  /** Names this browser and account. */
  id: z.string(),
  /** Epoch ms. */
  at: z.number(),
});

const deviceLifeMs = 365 * days;
const sessionName = 'atelier_session';
const deviceName = 'atelier_device';

export const newSessionSecret = (): string => randomBytes(32).toString('base64url');
export const hashSessionSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');

/** The Set-Cookie of a session that begins. */
export const sessionCookie = (secret: string, parts: CookieOptions): string =>
  cookie(sessionName, seal('session', secret, parts), sessionLifeMs, parts);

/** The Set-Cookie of a session that ends. */
export const expiredSessionCookie = (parts: CookieOptions): string => cookie(sessionName, '', 0, parts);

/** The secret that a request carries; null for none, and for one that is not ours. */
export const readSessionSecret = (cookies: string | undefined, parts: CookieOptions): string | null =>
  readSealed('session', sessionName, cookies, parts);

/** The Set-Cookie of a browser in which that account was logged in to; it stays the one that it was. */
export function deviceCookie(
  { account, before, now }: { account: string | null; before: Device | null; now: number },
  parts: CookieOptions,
): string {
  const id = before?.id ?? randomBytes(16).toString('base64url');
  const told = Buffer.from(JSON.stringify({ account, id, at: now } satisfies Device)).toString('base64url');
  return cookie(deviceName, seal('device', told, parts), deviceLifeMs, parts);
}

/** The browser of a request, where that account was logged in to there within a year. */
export function readDevice(
  cookies: string | undefined,
  account: string | null,
  now: number,
  parts: CookieOptions,
): Device | null {
  const told = readSealed('device', deviceName, cookies, parts);
  if (told === null) return null;
  const device = deviceSchema.safeParse(JSON.parse(Buffer.from(told, 'base64url').toString())).data;
  return device && device.account === account && device.at + deviceLifeMs > now ? device : null;
}

/** Sent along with every write of a session: a page of another site may send the cookie, but never this word. */
export const csrfTokenOf = ({ id }: Pick<Session, 'id'>, sessionKey: string): string =>
  signatureOf(`csrf ${id}`, sessionKey);

const seal = (kind: string, value: string, { sessionKey }: CookieOptions): string =>
  `${value}.${signatureOf(`${kind} ${value}`, sessionKey)}`;

function readSealed(
  kind: string,
  name: string,
  cookies: string | undefined,
  parts: CookieOptions,
): string | null {
  const [value, signature, ...rest] = cookieValue(cookieName(name, parts), cookies)?.split('.') ?? [];
  if (value === undefined || signature === undefined || rest.length > 0) return null;
  return constantTimeEqualText(signature, signatureOf(`${kind} ${value}`, parts.sessionKey)) ? value : null;
}

function cookie(name: string, value: string, lifeMs: number, parts: CookieOptions): string {
  const members = [
    `${cookieName(name, parts)}=${value}`,
    'Path=/',
    `Max-Age=${lifeMs / seconds}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  return [...members, ...(parts.isSecure ? ['Secure'] : [])].join('; ');
}

/** By this prefix a browser takes the cookie from this very host by https alone. */
const cookieName = (name: string, { isSecure }: CookieOptions): string =>
  isSecure ? `__Host-${name}` : name;

const signatureOf = (text: string, sessionKey: string): string =>
  createHmac('sha256', sessionKey).update(text).digest('base64url');

function cookieValue(name: string, cookies: string | undefined): string | undefined {
  const pair = cookies?.split(';').find(part => part.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1);
}
