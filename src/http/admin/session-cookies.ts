/** Signed cookies and CSRF tokens of the console. */

import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { days, seconds } from '../../domain/clock.ts';
import { constantTimeEqualText } from '../../domain/constant-time-equal.ts';
import { type Session, sessionLifeMs } from '../../domain/session.ts';

/**
 * The cookies of the console. That of a session is a random secret and our signature, which spares the database
 * lookups of forged ones; its row decides whether it is valid. The cookie of a browser names the account that logged in there.
 */
export interface CookieOptions {
  readonly sessionKey: string;
  /** The console is reached by https: cookies travel by nothing else, and no other host can set them. */
  readonly isSecure: boolean;
}

/** A browser in which that account logged in. */
export type Device = z.output<typeof deviceSchema>;

/** What the device cookie says: a browser that logged in before is throttled apart from strangers. */
const deviceSchema = z.strictObject({
  /** The name of the account; null: the admin token. */
  account: z.string().nullable(),
  /** Names this browser and account. */
  id: z.string(),
  /** Epoch ms. */
  at: z.number(),
});

/** Browsers limit cookies to 400 days. */
const deviceLifeMs = 365 * days;
/** Its value is a secret of which the database has a hash. */
const sessionName = 'atelier_session';
const deviceName = 'atelier_device';

/** 256 random bits, as they stand in the cookie. */
export const newSessionSecret = (): string => randomBytes(32).toString('base64url');
/** What the store keeps of a secret. */
export const hashSessionSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');

/** The Set-Cookie of a session that begins. */
export const sessionCookie = (secret: string, options: CookieOptions): string =>
  cookie(sessionName, seal('session', secret, options), sessionLifeMs, options);

/** The Set-Cookie of a session that ends. */
export const expiredSessionCookie = (options: CookieOptions): string => cookie(sessionName, '', 0, options);

/** The secret of a request's cookie; null for none, and for one whose signature is not ours. */
export const readSessionSecret = (cookies: string | undefined, options: CookieOptions): string | null =>
  readSealed('session', sessionName, cookies, options);

/** The Set-Cookie of a browser in which that account logged in; it keeps the id that it has. */
export function deviceCookie(
  { account, before, now }: { account: string | null; before: Device | null; now: number },
  options: CookieOptions,
): string {
  const id = before?.id ?? randomBytes(16).toString('base64url');
  const encoded = Buffer.from(JSON.stringify({ account, id, at: now } satisfies Device)).toString(
    'base64url',
  );
  return cookie(deviceName, seal('device', encoded, options), deviceLifeMs, options);
}

/** The browser of a request, if that account logged in there within a year. */
export function readDevice(
  cookies: string | undefined,
  account: string | null,
  now: number,
  options: CookieOptions,
): Device | null {
  const encoded = readSealed('device', deviceName, cookies, options);
  if (encoded === null) return null;
  const device = deviceSchema.safeParse(JSON.parse(Buffer.from(encoded, 'base64url').toString())).data;
  return device && device.account === account && device.at + deviceLifeMs > now ? device : null;
}

/** The CSRF token of a session: a page of another site can send the cookie, but never this value. */
export const csrfTokenOf = ({ id }: Pick<Session, 'id'>, sessionKey: string): string =>
  signatureOf(`csrf ${id}`, sessionKey);

/** A value with our signature over its kind and itself. */
const seal = (kind: string, value: string, { sessionKey }: CookieOptions): string =>
  `${value}.${signatureOf(`${kind} ${value}`, sessionKey)}`;

/** The value of a signed cookie; null where it is absent or its signature is wrong. */
function readSealed(
  kind: string,
  name: string,
  cookies: string | undefined,
  options: CookieOptions,
): string | null {
  const [value, signature, ...rest] = cookieValue(cookieName(name, options), cookies)?.split('.') ?? [];
  if (value === undefined || signature === undefined || rest.length > 0) return null;
  return constantTimeEqualText(signature, signatureOf(`${kind} ${value}`, options.sessionKey)) ? value : null;
}

/** A Set-Cookie line: HTTP only, same site, and secure where the console uses HTTPS. */
function cookie(name: string, value: string, lifeMs: number, options: CookieOptions): string {
  const members = [
    `${cookieName(name, options)}=${value}`,
    'Path=/',
    `Max-Age=${lifeMs / seconds}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  return [...members, ...(options.isSecure ? ['Secure'] : [])].join('; ');
}

/** With this prefix a browser accepts the cookie over HTTPS from this host alone. */
const cookieName = (name: string, { isSecure }: CookieOptions): string =>
  isSecure ? `__Host-${name}` : name;

/** HMAC-SHA-256 of a text. */
const signatureOf = (text: string, sessionKey: string): string =>
  createHmac('sha256', sessionKey).update(text).digest('base64url');

/** The value of one cookie in the header. */
function cookieValue(name: string, cookies: string | undefined): string | undefined {
  const pair = cookies?.split(';').find(part => part.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1);
}
