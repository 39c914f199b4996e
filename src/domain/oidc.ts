/** The login by an identity provider (OpenID Connect): its settings, and the role that its groups give. */
import { type Role, roles } from './person.ts';

/** `login.oidc` of the settings. */
export interface OidcSettings {
  /** Its address; discovery is below it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client, which has PKCE alone. */
  readonly clientSecret: string | null;
  /** What the button of the login page calls it. */
  readonly label: string;
  readonly scopes: readonly string[];
  /** The claim that lists the groups: a text, or a list of texts. */
  readonly groupsClaim: string;
  /** Where people open the gateway's pages, without a slash at its end; null: at its public address. */
  readonly consoleUrl: string | null;
  /** The groups that have each role. */
  readonly roles: Readonly<Record<Role, readonly string[]>>;
  /** Of everybody without such a group; null: they are refused. */
  readonly defaultRole: Role | null;
}

/** Ways to log in beside the admin token and passwords. */
export interface LoginSettings {
  /** Null: there is no identity provider. */
  readonly oidc: OidcSettings | null;
}

/** Somebody whom the identity provider named. Issuer and subject together never change; names may. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** What the person may be called, the best first; never empty. */
  readonly names: readonly string[];
  /** By the groups of this login; null: none of them has a role. */
  readonly role: Role | null;
}

/** The highest role that one of the groups has; null where none has one and there is no default. */
export const roleOfGroups = (
  { roles: groupsOf, defaultRole }: Pick<OidcSettings, 'roles' | 'defaultRole'>,
  groups: readonly string[],
): Role | null => roles.findLast(role => groupsOf[role].some(group => groups.includes(group))) ?? defaultRole;
