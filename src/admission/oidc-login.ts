/** The login by an identity provider: OpenID Connect, authorization code with PKCE (S256), state and nonce. */
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { type Clock, minutes, seconds } from '../domain/clock.ts';
import { type Identity, type OidcSettings, roleOfGroups } from '../domain/oidc.ts';
import { refuse } from '../domain/refusal.ts';
import type { Outbound } from '../media/outbound.ts';

/** What a login remembers between its two requests; its browser keeps it. */
export interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: the code is of no use without it. */
  readonly verifier: string;
}

/** Throws `oidc_absent` where no identity provider is set, and `oidc_unavailable` where it cannot be used. */
export interface OidcLogin {
  /** What the login page shows; null where no identity provider is set. */
  offer(): Pick<OidcSettings, 'label' | 'consoleUrl'> | null;
  /** The address at which the person logs in; it comes back to `redirectUri`. */
  begin(redirectUri: string): Promise<{ readonly address: string; readonly pending: PendingLogin }>;
  /** Who came back to that address with a code. Throws `oidc_refused` unless the identity provider confirms it. */
  finish(callback: URL, pending: PendingLogin): Promise<Identity>;
}

/** For each call of the identity provider. */
const timeoutMs = 10 * seconds;
/** Of each of its answers: an id token with thousands of groups is smaller. */
const maxBytes = 1024 * 1024;
/** How long its description is used before it is read again; its keys have a cache of their own. */
const descriptionMs = 10 * minutes;
/** Characters of a name; longer ones are cut. */
const maxName = 100;

type Library = typeof import('openid-client');
type Claims = Readonly<Record<string, unknown>>;

/** The description of the identity provider, or its reading in progress. */
interface Description {
  readonly settings: OidcSettings;
  readonly readAt: number;
  readonly configuration: Promise<Configuration>;
}

/** The identity provider did not answer, or with a failure of its own, or with more than it may. */
class ProviderSilent extends Error {
  override readonly name = 'ProviderSilent';
}

/** `settings` are the present ones; `outbound` may reach private addresses, because the operator wrote the issuer. */
export function openOidcLogin(
  settings: () => OidcSettings | null,
  outbound: Pick<Outbound, 'request'>,
  clock: Clock,
): OidcLogin {
  let known: Description | null = null;

  /** Read once for all logins that wait for it; a failure is not remembered. */
  async function describe(library: Library, present: OidcSettings): Promise<Configuration> {
    const now = clock.now();
    const isCurrent =
      known?.settings === present && known.readAt <= now && now < known.readAt + descriptionMs;
    const description = isCurrent && known ? known : startReading(library, present, now);
    try {
      return await description.configuration;
    } catch (failure) {
      if (known === description) known = null;
      throw failure;
    }
  }

  function startReading(library: Library, present: OidcSettings, now: number): Description {
    const configuration = discover(library, present, outbound);
    known = { settings: present, readAt: now, configuration };
    return known;
  }

  async function use(): Promise<{ library: Library; present: OidcSettings; configuration: Configuration }> {
    const present = settings();
    if (!present) throw refuse('oidc_absent');
    const library = await import('openid-client');
    const configuration = await describe(library, present).catch(failure => {
      throw refuse('oidc_unavailable', { cause: new Error(reasonOf(failure)) });
    });
    return { library, present, configuration };
  }

  return {
    offer: settings,
    async begin(redirectUri) {
      const { library, present, configuration } = await use();
      const verifier = library.randomPKCECodeVerifier();
      const pending = { state: library.randomState(), nonce: library.randomNonce(), verifier };
      const address = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: present.scopes.join(' '),
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, pending };
    },
    async finish(callback, { state, nonce, verifier }) {
      const { library, present, configuration } = await use();
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
        const tokens = await library.authorizationCodeGrant(configuration, callback, checks);
        const idToken = tokens.claims();
        if (!idToken) throw new Error('expected an id token, got none');
        // Both are of the same subject, which the library checks; the id token counts first, because it is signed.
        const more = saysAll(idToken, present)
          ? {}
          : await readUserInfo(library, configuration, tokens.access_token, idToken.sub);
        return identityOf({ ...more, ...idToken }, present);
      } catch (failure) {
        const name = isSilence(failure) ? 'oidc_unavailable' : 'oidc_refused';
        throw refuse(name, { cause: new Error(reasonOf(failure)) });
      }
    },
  };
}

/** Reads the description of the identity provider; from then on every call is bounded, and every id token's signature is checked. */
function discover(
  library: Library,
  { issuer, clientId, clientSecret }: OidcSettings,
  outbound: Pick<Outbound, 'request'>,
): Promise<Configuration> {
  const isPlain = issuer.startsWith('http:');
  return library.discovery(
    new URL(issuer),
    clientId,
    undefined,
    clientSecret === null ? library.None() : sendSecret(library, clientSecret),
    {
      [library.customFetch]: fetchBy(outbound),
      timeout: timeoutMs / seconds,
      execute: [
        library.enableNonRepudiationChecks,
        // The settings allow http for this machine alone.
        ...(isPlain ? [library.allowInsecureRequests] : []),
      ],
    },
  );
}

/** In the header, which is the default of the protocol, unless the identity provider takes it in the body alone. */
function sendSecret(library: Library, clientSecret: string): ClientAuth {
  const [basic, post] = [library.ClientSecretBasic(clientSecret), library.ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** The library's requests within our bounds of time and size, without redirects. */
const fetchBy =
  (outbound: Pick<Outbound, 'request'>): CustomFetch =>
  async (url, { method, headers, body }) => {
    const answer = await outbound.request(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body !== undefined && body !== null && { body: String(body) }),
      timeoutMs,
      maxBytes,
    });
    if (answer.kind !== 'answered') throw new ProviderSilent(answer.reason);
    if (answer.status >= 500) {
      answer.body.discard();
      throw new ProviderSilent(`The identity provider answered ${answer.status}.`);
    }
    const chunks = await Array.fromAsync(answer.body).catch(cause => {
      throw new ProviderSilent('The identity provider sent no whole answer.', { cause });
    });
    const bytes = Buffer.concat(chunks);
    return new Response(bytes.length === 0 ? null : bytes, {
      status: answer.status,
      headers: answer.headers,
    });
  };

/** Whether the id token names groups and person, so that nothing else needs to be asked. */
const saysAll = (idToken: Claims, { groupsClaim }: OidcSettings): boolean =>
  idToken[groupsClaim] !== undefined && namesOf(idToken).length > 0;

/** Many identity providers keep the id token short and state the rest here; empty where there is no such endpoint. */
async function readUserInfo(
  library: Library,
  configuration: Configuration,
  accessToken: string,
  subject: string,
): Promise<Claims> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return library.fetchUserInfo(configuration, accessToken, subject);
}

function identityOf(claims: Claims & { iss?: unknown; sub?: unknown }, settings: OidcSettings): Identity {
  const [issuer, subject] = [String(claims.iss), String(claims.sub)];
  const names = [...namesOf(claims), subject.slice(0, maxName)];
  return { issuer, subject, names, role: roleOfGroups(settings, groupsOf(claims, settings)) };
}

/** Most identity providers have addresses and login names once only, names of people more often. */
const namesOf = (claims: Claims): readonly string[] =>
  [claims.email, claims.preferred_username, claims.name]
    .filter(name => typeof name === 'string')
    .map(name => name.replace(/\p{C}/gu, '').trim().slice(0, maxName))
    .filter(name => name !== '');

/** An address counts only where the identity provider verified it: anybody may type the one of somebody else. */
function groupsOf(claims: Claims, { groupsClaim }: OidcSettings): readonly string[] {
  if (groupsClaim === 'email' && claims.email_verified !== true) return [];
  return [claims[groupsClaim]].flat().filter(group => typeof group === 'string');
}

/** Whether the failure, or what it was caused by, is silence. */
function isSilence(failure: unknown): boolean {
  return failure instanceof Error && (failure instanceof ProviderSilent || isSilence(failure.cause));
}

/** For the log: the messages alone, because members of the library's errors may have tokens. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'unknown failure';
  const code = 'error' in failure && typeof failure.error === 'string' ? ` (${failure.error})` : '';
  const cause = failure.cause instanceof Error ? `: ${reasonOf(failure.cause)}` : '';
  return `${failure.message}${code}${cause}`.slice(0, 500);
}
