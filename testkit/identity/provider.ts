/** An identity provider on loopback for tests: oidc-provider with accounts, groups, a login form, and faults. */
import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider, { type Context } from 'oidc-provider';

/** Claims of an account beside `sub`, which is its login name. */
export type Claims = Readonly<Record<string, unknown>>;

/** What is wrong with it. */
export type Fault =
  /** Every request is answered with 503. */
  | { readonly kind: 'down' }
  /** Every answer goes on until its reader disconnects. */
  | { readonly kind: 'endless' }
  /** Every answer is a redirect to this address. */
  | { readonly kind: 'moved'; readonly to: string }
  /** The id token is replaced: its claims with these, signed in this way. */
  | {
      readonly kind: 'token';
      readonly claims?: Claims;
      readonly by: 'its key' | 'another key' | 'the client secret' | 'no key';
    }
  /** Whoever logs in says no. */
  | { readonly kind: 'denied' };

export interface TestIdentityProvider {
  /** At `localhost`, which to a browser is another site than 127.0.0.1. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Its accounts by their login names. */
  readonly accounts: Map<string, Claims>;
  /** Paths of the requests since the start. */
  readonly requests: readonly string[];
  /** Null: nothing is wrong. */
  play(fault: Fault | null): void;
  /** Logs in at that address as a browser does that was never there; returns the address that it is led back to. */
  logIn(address: string, account: string): Promise<URL>;
  close(): Promise<void>;
}

const clientId = 'atelier';
const clientSecret = 'the-secret-of-the-client, of this very test: 100%';
const keyId = 'test';

/** How its client shows the secret; `none`: it is a public one. */
type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

/** `redirectUris` are those of gateways that it leads back to. */
export async function startIdentityProvider(
  redirectUris: () => readonly string[],
  authMethod: ClientAuthMethod = 'client_secret_basic',
): Promise<TestIdentityProvider> {
  const { privateKey } = newKey();
  const accounts = new Map<string, Claims>();
  const requests: string[] = [];
  let fault: Fault | null = null;
  // The issuer has the port in it, and the client the addresses of gateways, which start later.
  let handle: ReturnType<Provider['callback']> | null = null;
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? '/', 'http://idp.test').pathname);
    if (fault?.kind === 'down') return void response.writeHead(503).end();
    if (fault?.kind === 'moved') return void response.writeHead(302, { location: fault.to }).end();
    if (fault?.kind === 'endless') return sendEndlessly(response);
    handle ??= openProvider({ issuer, privateKey, accounts, redirectUris, authMethod, fault: () => fault });
    handle(request, response);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    clientId,
    clientSecret,
    accounts,
    requests,
    play: wanted => {
      fault = wanted;
    },
    logIn: (address, account) => logIn(issuer, address, account),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Ends with the connection. */
function sendEndlessly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const send = () => {
    while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
  };
  response.on('drain', send);
  send();
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

interface ProviderOptions {
  readonly issuer: string;
  readonly privateKey: KeyObject;
  readonly accounts: ReadonlyMap<string, Claims>;
  readonly redirectUris: () => readonly string[];
  readonly authMethod: ClientAuthMethod;
  readonly fault: () => Fault | null;
}

function openProvider({ issuer, privateKey, accounts, redirectUris, authMethod, fault }: ProviderOptions) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        ...(authMethod !== 'none' && { client_secret: clientSecret }),
        token_endpoint_auth_method: authMethod,
        redirect_uris: redirectUris(),
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: keyId, alg: 'ES256', use: 'sig' }] },
    clientAuthMethods: [authMethod],
    cookies: { keys: [randomUUID()] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    pkce: { required: () => true },
    // Seconds; said, or the package comments on each.
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) =>
      accounts.has(id) ? { accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) } : undefined,
    // No consent is asked for.
    async loadExistingGrant({ oidc }: Context) {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope(oidc.params.scope);
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    if (context.path.startsWith('/interaction/')) return answerLoginForm(provider, context, fault());
    await next();
    const wrong = fault();
    if (wrong?.kind === 'token' && context.path === '/token')
      context.body.id_token = resign(context.body.id_token, wrong, privateKey);
  });
  return provider.callback();
}

/** Any password is right. */
async function answerLoginForm(provider: Provider, context: Context, fault: Fault | null): Promise<void> {
  if (context.method === 'GET') {
    context.type = 'html';
    context.body =
      '<!doctype html><title>Log in</title><form method="post"><label>Account <input name="account"></label><button>Sign in</button></form>';
    return;
  }
  const accountId = new URLSearchParams(await text(context.req)).get('account');
  const result = fault?.kind === 'denied' ? { error: 'access_denied' } : { login: { accountId } };
  await provider.interactionFinished(context.req, context.res, result);
}

/** The token with other claims or another signature. */
function resign(idToken: string, { claims, by }: Extract<Fault, { kind: 'token' }>, own: KeyObject): string {
  const [, payload = ''] = idToken.split('.');
  const present = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const alg = { 'its key': 'ES256', 'another key': 'ES256', 'the client secret': 'HS256', 'no key': 'none' }[
    by
  ];
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg, kid: keyId })}.${encode({ ...present, ...claims })}`;
  return `${signed}.${signatureOf(signed, by, own)}`;
}

function signatureOf(signed: string, by: Extract<Fault, { kind: 'token' }>['by'], own: KeyObject): string {
  if (by === 'no key') return '';
  if (by === 'the client secret')
    return createHmac('sha256', clientSecret).update(signed).digest('base64url');
  const key = by === 'its key' ? own : newKey().privateKey;
  return sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
}

/** More redirects are a circle. */
const maxSteps = 10;

/** Follows redirects with cookies, and fills in the form. */
async function logIn(issuer: string, address: string, account: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(address);
  let body: URLSearchParams | null = null;
  for (let step = 0; step < maxSteps; step++) {
    const answer: Response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(pair => pair.join('=')).join('; ') },
      ...(body && { method: 'POST', body }),
    });
    body = null;
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]!.split('=');
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null && answer.status === 200) body = new URLSearchParams({ account });
    else if (location === null)
      throw new Error(`expected a login, got ${answer.status}: ${await answer.text()}`);
    else at = new URL(location, at);
    if (at.origin !== issuer) return at;
  }
  throw new Error('expected the login to come to an end');
}
