/** Signed cookies and CSRF tokens of the console, and of logins that have begun. */

import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { days, minutes, seconds } from '../../domain/clock.ts';
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

/** What a browser keeps while its person is at the identity provider. */
export type PendingLoginCookie = z.output<typeof pendingSchema>;

/** All of a login that has begun, so that any process can end it. */
const pendingSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Hash of the session that the browser has, which ends with the login; null where it has none. */
  replaces: z.string().nullable(),
  /** Epoch ms. */
  at: z.number(),
});

/** Time to type a password and a second factor. */
const pendingLifeMs = 10 * minutes;
/** Browsers limit cookies to 400 days. */
const deviceLifeMs = 365 * days;
/** Its value is a secret of which the database has a hash. */
const sessionName = 'atelier_session';
const deviceName = 'atelier_device';
const pendingName = 'atelier_login';

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
  const encoded = encode({ account, id, at: now } satisfies Device);
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
  const device = deviceSchema.safeParse(decode(encoded)).data;
  return device && device.account === account && device.at + deviceLifeMs > now ? device : null;
}

/**
 * The Set-Cookie of a login that began. It is sent where another site leads back to us, which a strict cookie is not;
 * it opens nothing by itself.
 */
export const pendingLoginCookie = (pending: PendingLoginCookie, options: CookieOptions): string =>
  cookie(pendingName, seal('login', encode(pending), options), pendingLifeMs, options, 'Lax');

/** The Set-Cookie of a login that ended. */
export const expiredPendingLoginCookie = (options: CookieOptions): string =>
  cookie(pendingName, '', 0, options, 'Lax');

/** The login that began in this browser; null for none, and for one that began too long ago. */
export function readPendingLogin(
  cookies: string | undefined,
  now: number,
  options: CookieOptions,
): PendingLoginCookie | null {
  const encoded = readSealed('login', pendingName, cookies, options);
  const pending = encoded === null ? null : pendingSchema.safeParse(decode(encoded)).data;
  return pending && pending.at <= now && now < pending.at + pendingLifeMs ? pending : null;
}

/** The CSRF token of a session: a page of another site can send the cookie, but never this value. */
export const csrfTokenOf = ({ id }: Pick<Session, 'id'>, sessionKey: string): string =>
  signatureOf(`csrf ${id}`, sessionKey);

/** A value of JSON as it stands in a cookie. */
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (encoded: string): unknown => JSON.parse(Buffer.from(encoded, 'base64url').toString());

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
function cookie(
  name: string,
  value: string,
  lifeMs: number,
  options: CookieOptions,
  sameSite: 'Strict' | 'Lax' = 'Strict',
): string {
  const members = [
    `${cookieName(name, options)}=${value}`,
    'Path=/',
    `Max-Age=${lifeMs / seconds}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
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
