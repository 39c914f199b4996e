/** Reads `login` of `atelier.yaml`: an identity provider (OpenID Connect) for the console. */
import { z } from 'zod';
import { isLoopback } from '../domain/address.ts';
import type { LoginSettings } from '../domain/oidc.ts';
import { type Role, roles } from '../domain/person.ts';
import { type Issue, openIssueList, parseSettings } from './issues.ts';
import { secretReader } from './routing.ts';

const roleName = z.enum(roles, { error: `must be one of ${roles.join(', ')}` });
/** Names of groups, in the words of the identity provider. */
const groups = z.array(z.string().min(1).max(500)).max(1_000).default([]);
const groupsOfRoles = z.strictObject(
  Object.fromEntries(roles.map(role => [role, groups])) as Record<Role, typeof groups>,
);
/** Enough for every identity provider that there is. */
const maxScopes = 50;

/** `secret` reads the reference of a secret. */
export const loginSchema = (secret: z.ZodType<string>) =>
  z.strictObject({
    oidc: z
      .strictObject({
        issuer: z
          .url({ protocol: /^https?$/, error: 'must be the address of the identity provider' })
          .refine(isSafe, { error: 'must begin with https:// (http:// is for this machine alone)' })
          .refine(text => !/[?#]/.test(text), { error: 'must have no query and no fragment' }),
        client_id: z.string().min(1).max(500),
        client_secret: secret.optional(),
        label: z.string().min(1).max(60).optional(),
        console_url: z.url({ protocol: /^https?$/, error: 'must be an address' }).optional(),
        scopes: z
          .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/))
          .max(maxScopes)
          .default(['profile', 'email']),
        groups_claim: z.string().min(1).max(200).default('groups'),
        roles: groupsOfRoles.prefault({}),
        default_role: roleName.optional(),
      })
      .optional(),
  });

/** The token of a login travels to that address. */
function isSafe(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

/** `env` has the values of secrets written `env:NAME`. A provider by which no one has a role is an issue. */
export function readLogin(
  written: unknown,
  env: Readonly<Record<string, string | undefined>>,
): { readonly login: LoginSettings; readonly issues: readonly Issue[] } {
  const issues = openIssueList();
  const parsed = issues.valueOf(parseSettings(loginSchema(secretReader(env)), written ?? {}), 'login');
  const oidc = parsed?.oidc;
  if (!oidc) return { login: { oidc: null }, issues: issues.list };
  const { issuer, client_id, client_secret, label, console_url, scopes, groups_claim, default_role } = oidc;
  if (default_role === undefined && roles.every(role => oidc.roles[role].length === 0))
    issues.add('no one has a role by it: name a group, or set default_role', 'login', 'oidc', 'roles');
  return {
    login: {
      oidc: {
        issuer,
        clientId: client_id,
        clientSecret: client_secret ?? null,
        label: label ?? new URL(issuer).hostname,
        scopes: [...new Set(['openid', ...scopes])],
        consoleUrl: console_url?.replace(/\/+$/, '') ?? null,
        groupsClaim: groups_claim,
        roles: oidc.roles,
        defaultRole: default_role ?? null,
      },
    },
    issues: issues.list,
  };
}
