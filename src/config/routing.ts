import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import { localAccount } from '../domain/provider.ts';
import { definitionOf, providers } from '../providers/index.ts';
import type { ProviderDefinition } from '../providers/kit/definition.ts';
import type { AccountConfig, RouteConfig, RoutingConfig } from '../routing/accounts.ts';
import type { AccountRate } from '../routing/routes.ts';
import { didYouMean, type Issue, issuesOf, parseSettings } from './issues.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const defaultSlots = 8;

export const accountName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, {
  error: 'must be 1 to 63 lower-case letters, digits, - or _',
});

/** The members that every account has; what stands beside them is for its provider. */
export const accountBase = z.object({
  provider: z.enum(
    providers.map(({ name }) => name),
    { error: `must be one of ${providers.map(({ name }) => name).join(', ')}` },
  ),
  slots: z.int().min(1).max(1_000_000).default(defaultSlots),
  rate: z
    .strictObject({
      per_second: z.number().positive().max(100_000),
      burst: z.int().min(1).max(1_000_000).default(1),
    })
    .transform(({ per_second, burst }): AccountRate => ({ perSecond: per_second, burst }))
    .nullable()
    .default(null),
});

/** The same of a route. */
export const routeBase = z.object({
  account: accountName,
  /** What the upstream calls the model; as the provider says where it says nothing. */
  model: z.string().min(1).max(200).optional(),
  weight: z.number().positive().max(1000).default(1),
});

export const routeList = z.array(z.unknown()).min(1).max(32);

/** How secrets are written: they never stand in the file itself. */
export const secretReference = z.string().regex(/^(env|file):.+$/, {
  error: 'must be written env:NAME or file:PATH',
});

const members = z.looseObject({});
const noSwitches = z.strictObject({});
const named = z.record(z.string(), z.unknown()).default({});

/**
 * `accounts` and `routes` of `atelier.yaml`; `env` is where secrets written `env:NAME` stand. One part that is wrong
 * hides no fault of another: each is parsed by itself.
 */
export function readRouting(
  written: { readonly accounts?: unknown; readonly routes?: unknown },
  env: Environment,
  models: { readonly catalog: Catalog; readonly invalid: ReadonlySet<string> },
): { readonly config: RoutingConfig; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const secret = secretSchema(env);
  const modelIds = models.catalog.all.map(({ id }) => id);
  const accounts = keep(parseSettings(named, written.accounts), 'accounts') ?? {};
  const routes = keep(parseSettings(named, written.routes), 'routes') ?? {};
  const opened = Object.entries(accounts).flatMap(([id, account]) => readAccount(id, account) ?? []);
  const config = {
    accounts: opened,
    routes: new Map(Object.entries(routes).map(([id, list]) => [id, readRoutes(id, list)])),
  };
  return { config, issues };

  function readAccount(id: string, account: unknown): AccountConfig | null {
    const path = ['accounts', id];
    keep(parseSettings(accountName, id), ...path);
    if (id === localAccount) tell('is the name of the local engine', ...path);
    const written = keep(parseSettings(members, account), ...path);
    if (!written) return null;
    const { provider, slots, rate, ...own } = written;
    const head = keep(parseSettings(accountBase, { provider, slots, rate }), ...path);
    const settings = definitionOf(provider)?.settings(secret);
    const read = settings && keep(parseSettings(settings, own, Object.keys(accountBase.shape)), ...path);
    return head && read ? { id, ...head, ...read } : null;
  }

  function readRoutes(id: string, list: unknown): readonly RouteConfig[] {
    const model = models.catalog.find(id);
    // What is wrong with its description is told there.
    if (!model && !models.invalid.has(id))
      tell(`there is no such model${didYouMean(id, modelIds)}`, 'routes', id);
    const seen = new Set<unknown>();
    return (keep(parseSettings(routeList, list), 'routes', id) ?? []).flatMap((route, place) => {
      const path = ['routes', id, place];
      const written = keep(parseSettings(members, route), ...path);
      if (!written) return [];
      if (seen.has(written.account))
        tell('the account has a route of this model already', ...path, 'account');
      seen.add(written.account);
      return readRoute(id, model, written, path);
    });
  }

  function readRoute(
    id: string,
    entry: Model | null,
    { account, model, weight, ...own }: Readonly<Record<string, unknown>>,
    path: readonly PropertyKey[],
  ): readonly RouteConfig[] {
    const head = keep(parseSettings(routeBase, { account, model, weight }), ...path);
    const definition = definitionOf(providerOf(account));
    const isLocal = account === localAccount;
    if (head && !isLocal && !Object.hasOwn(accounts, head.account))
      tell(
        `there is no account ${head.account}${didYouMean(head.account, Object.keys(accounts))}`,
        ...path,
        'account',
      );
    if (definition && entry && !serves(definition, entry))
      tell(`a ${definition.name} account does not serve this model`, ...path, 'account');
    const refusal = entry && opened.find(({ id }) => id === account)?.routeRefusal(entry);
    if (refusal) tell(refusal, ...path, 'account');
    const schema = isLocal ? noSwitches : definition?.routeOptions;
    const options = schema && keep(parseSettings(schema, own, Object.keys(routeBase.shape)), ...path);
    const faults = options === undefined || !entry ? [] : definition?.routeFaults(entry, options);
    for (const { path: at, reason } of faults ?? []) tell(reason, ...path, ...at.split('.'));
    if (!head) return [];
    const upstreamModel =
      head.model ?? definition?.models?.[id] ?? (definition?.servesCustomModels ? '' : id);
    return [{ account: head.account, upstreamModel, weight: head.weight, options }];
  }

  /** As it stands there, whatever else of the account is wrong. */
  function providerOf(account: unknown): unknown {
    const written = Object.entries(accounts).find(([id]) => id === account)?.[1];
    return members.safeParse(written).data?.provider;
  }

  function keep<T>(parsed: z.ZodSafeParseResult<T>, ...path: readonly PropertyKey[]): T | undefined {
    for (const issue of issuesOf(parsed)) tell(issue.message, ...path, ...issue.path);
    return parsed.data;
  }

  function tell(message: string, ...path: readonly PropertyKey[]): void {
    issues.push({ path, message });
  }
}

const serves = ({ models, servesCustomModels }: ProviderDefinition, { id, family }: Model): boolean =>
  models === null || (family === 'own' ? servesCustomModels : Object.hasOwn(models, id));

/** `env:NAME`, or `file:PATH` whose first line it is. */
function secretSchema(env: Environment): z.ZodType<string> {
  return secretReference.transform((text, context): string => {
    const isVariable = text.startsWith('env:');
    const where = text.slice(text.indexOf(':') + 1);
    const found = isVariable ? env[where] : firstLine(where);
    if (found !== undefined && found !== '') return found;
    const message = `there is nothing in ${isVariable ? 'the variable' : 'the file'} ${where}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]?.trim();
  } catch {
    return undefined;
  }
}
