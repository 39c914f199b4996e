/** The client of a login attempt, and the throttling of attempts. */

import type { FastifyRequest } from 'fastify';
import { disconnectSignal } from '../../admission/disconnect-signal.ts';
import type { Requester } from '../../admission/passwords.ts';
import type { RefusedLogin } from '../../admission/refused-logins.ts';
import { addressRange } from '../../domain/address.ts';
import { Refusal, refuse } from '../../domain/refusal.ts';
import { clientAddress } from '../client-address.ts';
import type { HttpContext } from '../http-context.ts';
import { type CookieOptions, type Device, readDevice } from './session-cookies.ts';

/** The client of a login attempt: what is counted, and what the audit records. */
export interface LoginClient {
  readonly address: string;
  readonly range: string;
  /** Null: this account did not log in there within a year. */
  readonly device: Device | null;
  readonly requester: Requester;
}

/** What limits logins, and what records the refused ones. */
type LoginDependencies = Pick<HttpContext, 'loginThrottle' | 'refusedLogins'>;

/** What cookies are signed with, and whether they need HTTPS. */
export const cookieParts = ({
  sessionKey,
  publicUrl,
}: Pick<HttpContext, 'sessionKey' | 'publicUrl'>): CookieOptions => ({
  sessionKey,
  isSecure: publicUrl().startsWith('https:'),
});

/** `account` is the name in the request; null for the admin token. */
export function loginClient(
  context: Pick<HttpContext, 'sessionKey' | 'publicUrl' | 'clock'>,
  request: FastifyRequest,
  account: string | null,
): LoginClient {
  const { cookie } = request.raw.headers;
  const device = readDevice(cookie, account, context.clock.now(), cookieParts(context));
  const range = addressRange(clientAddress(request));
  const requester = { share: range, isKnown: device !== null, signal: disconnectSignal(request.raw) };
  return { address: clientAddress(request), range, device, requester };
}

/** An operator who has a password hashed: known, whatever the browser. */
export const operatorRequester = (request: FastifyRequest): Requester => ({
  share: addressRange(clientAddress(request)),
  isKnown: true,
  signal: disconnectSignal(request.raw),
});

/** Whose login was refused; with a name where an identity provider confirmed it. */
type RefusedSubject = RefusedLogin['subject'] | Pick<RefusedLogin, 'subject' | 'name'>;

/** Counts and verifies an attempt; a refused one is recorded in the audit. A valid one is refunded. */
export async function checkLogin<Who>(
  context: LoginDependencies,
  { client, account }: { readonly client: LoginClient; readonly account: string | null },
  subject: () => Promise<RefusedSubject> | RefusedSubject,
  verify: () => Promise<Who>,
): Promise<Who> {
  const attempt = { range: client.range, account, device: client.device?.id ?? null };
  try {
    await context.loginThrottle.take(attempt);
    const who = await verify();
    await context.loginThrottle.refund(attempt);
    return who;
  } catch (failure) {
    const why = whyRefused(failure);
    if (why) {
      const who = await subject();
      const { address, range } = client;
      await context.refusedLogins.record({
        address,
        range,
        why,
        ...(typeof who === 'string' ? { subject: who } : who),
      });
    }
    throw failure;
  }
}

/** Counts and records a wrong bearer token; throws its refusal. */
export async function refuseBearer(context: LoginDependencies, request: FastifyRequest): Promise<never> {
  const range = addressRange(clientAddress(request));
  const failure = await context.loginThrottle.takeWrongToken(range).then(
    () => refuse('operator_token_invalid'),
    (throttled: unknown) => throttled,
  );
  const why = whyRefused(failure);
  if (why)
    await context.refusedLogins.record({ address: clientAddress(request), range, subject: 'admin', why });
  throw failure;
}

/** Refusals that count as a wrong attempt. */
const wrongCredentials: readonly string[] = [
  'operator_token_invalid',
  'login_refused',
  'setup_code_wrong',
  'oidc_state_wrong',
  'oidc_refused',
];
/** Refusals that say nothing about the password. */
const throttled: readonly string[] = ['logins_exceeded', 'logins_full'];

/** Why an attempt was refused; null for failures that are not about the credentials. */
function whyRefused(failure: unknown): RefusedLogin['why'] | null {
  if (!(failure instanceof Refusal)) return null;
  if (wrongCredentials.includes(failure.refusal)) return 'wrong';
  if (failure.refusal === 'oidc_role_missing') return 'no_role';
  return throttled.includes(failure.refusal) ? 'throttled' : null;
}
