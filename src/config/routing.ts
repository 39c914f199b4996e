/** Reads `accounts` and `routes` of `atelier.yaml`: which account serves which model. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import { localAccount } from '../domain/provider.ts';
import { definitionOf, providers } from '../providers/index.ts';
import type { ProviderDefinition } from '../providers/kit/definition.ts';
import type { AccountConfig, RouteConfig, RoutingConfig } from '../routing/accounts.ts';
import type { AccountRate } from '../routing/routes.ts';
import { didYouMean, type Issue, type IssueList, openIssueList, parseSettings } from './issues.ts';

/** The environment of the process, or of a test. */
type Environment = Readonly<Record<string, string | undefined>>;

/** The models that routes may name. */
export interface KnownModels {
  readonly catalog: Catalog;
  /** Ids of models that are described with faults: they are in the settings, but not in the catalog. */
  readonly invalid: ReadonlySet<string>;
}

/** Jobs that an account runs at once unless its settings say otherwise. */
const defaultSlots = 8;

/** Account ids appear in URLs, metrics and logs. */
export const accountName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, {
  error: 'must be 1 to 63 lower-case letters, digits, - or _',
});

/** The members that every account has; its provider reads the others. */
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

/** The members that every route has; the provider of its account reads the others. */
export const routeBase = z.object({
  account: accountName,
  /** The upstream's name of the model; the provider has a default. */
  model: z.string().min(1).max(200).optional(),
  weight: z.number().positive().max(1000).default(1),
});

/** Routes of one model; each is a candidate, by its weight. */
export const routeList = z.array(z.unknown()).min(1).max(32);

/** How secrets are written: as references, never in the file itself. */
export const secretReference = z.string().regex(/^(env|file):.+$/, {
  error: 'must be written env:NAME or file:PATH',
});

/** Parts of the settings before they are read: a mapping, a route without options, and a mapping by name. */
const members = z.looseObject({});
const noOptions = z.strictObject({});
const named = z.record(z.string(), z.unknown()).default({});

/** `accounts` or `routes` of `atelier.yaml`, as they are written. */
export interface WrittenRouting {
  readonly accounts?: unknown;
  readonly routes?: unknown;
}

/**
 * Reads `accounts` and `routes` of `atelier.yaml`; `env` has the values of secrets written `env:NAME`. Each account and
 * each route is parsed by itself, so that a fault in one does not conceal those of another.
 */
export function readRouting(
  written: WrittenRouting,
  env: Environment,
  models: KnownModels,
): { readonly config: RoutingConfig; readonly issues: readonly Issue[] } {
  const issues = openIssueList();
  const writtenAccounts = issues.valueOf(parseSettings(named, written.accounts), 'accounts') ?? {};
  const writtenRoutes = issues.valueOf(parseSettings(named, written.routes), 'routes') ?? {};
  const secret = secretReader(env);
  const accounts = Object.entries(writtenAccounts).flatMap(
    ([id, account]) => readAccount(issues, secret, id, account) ?? [],
  );
  const context: RouteContext = { issues, models, writtenAccounts, accounts };
  const routes = Object.entries(writtenRoutes).map(([id, list]): [string, readonly RouteConfig[]] => [
    id,
    readRoutes(context, id, list),
  ]);
  return { config: { accounts, routes: new Map(routes) }, issues: issues.list };
}

/** Null where the account has a fault, which is then in `issues`. */
function readAccount(
  issues: IssueList,
  secret: z.ZodType<string>,
  id: string,
  account: unknown,
): AccountConfig | null {
  const path = ['accounts', id];
  issues.valueOf(parseSettings(accountName, id), ...path);
  if (id === localAccount) issues.add('is reserved for the local engine', ...path);
  const written = issues.valueOf(parseSettings(members, account), ...path);
  if (!written) return null;
  const { provider, slots, rate, ...others } = written;
  const base = issues.valueOf(parseSettings(accountBase, { provider, slots, rate }), ...path);
  const schema = definitionOf(provider)?.settings(secret);
  const settings =
    schema && issues.valueOf(parseSettings(schema, others, Object.keys(accountBase.shape)), ...path);
  return base && settings ? { id, ...base, ...settings } : null;
}

/** What a route is checked against. */
interface RouteContext {
  readonly issues: IssueList;
  readonly models: KnownModels;
  /** Every account as it is written, also those with faults. */
  readonly writtenAccounts: Readonly<Record<string, unknown>>;
  /** Those without faults. */
  readonly accounts: readonly AccountConfig[];
}

/** The routes of one model. */
function readRoutes(context: RouteContext, modelId: string, list: unknown): readonly RouteConfig[] {
  const { issues, models } = context;
  const model = models.catalog.find(modelId);
  // The faults of an invalid model are reported where it is described.
  if (!model && !models.invalid.has(modelId))
    issues.add(`there is no such model${didYouMean(modelId, idsOf(models))}`, 'routes', modelId);
  const seen = new Set<unknown>();
  const written = issues.valueOf(parseSettings(routeList, list), 'routes', modelId) ?? [];
  return written.flatMap((item, index) => {
    const path = ['routes', modelId, index];
    const route = issues.valueOf(parseSettings(members, item), ...path);
    if (!route) return [];
    if (seen.has(route.account))
      issues.add('the account has a route of this model already', ...path, 'account');
    seen.add(route.account);
    return readRoute(context, { modelId, model, path, members: route }) ?? [];
  });
}

/** A route as it is written, and the model that it is for. */
interface WrittenRoute {
  readonly modelId: string;
  /** Null: unknown, or described with faults. */
  readonly model: Model | null;
  readonly path: readonly PropertyKey[];
  readonly members: Readonly<Record<string, unknown>>;
}

/** Null where the account, the model or the weight has a fault; wrong options alone do not remove the route. */
function readRoute(context: RouteContext, route: WrittenRoute): RouteConfig | null {
  const { account, model, weight, ...others } = route.members;
  const base = context.issues.valueOf(parseSettings(routeBase, { account, model, weight }), ...route.path);
  const definition = definitionOf(providerOf(context, account));
  checkAccountOfRoute(context, route, base?.account, definition);
  const options = readRouteOptions(context, route, others, definition);
  if (!base) return null;
  if (base.model === undefined && route.model?.family === 'own' && requiresUpstreamModel(definition, others))
    context.issues.add('is required: what the upstream calls the model', ...route.path, 'model');
  const upstreamModel =
    base.model ??
    definition?.models?.[route.modelId] ??
    (definition?.servesCustomModels ? '' : route.modelId);
  const instead = upstreamModelInstead(definition, upstreamModel);
  if (instead !== undefined) {
    const message = `the upstream no longer has the model ${upstreamModel}; write ${instead}`;
    context.issues.add(message, ...route.path, 'model');
  }
  return { account: base.account, upstreamModel, weight: base.weight, options };
}

/** What to write for a model that the upstream no longer has; undefined for every other. */
const upstreamModelInstead = (definition: ProviderDefinition | undefined, upstreamModel: string) =>
  definition && Object.hasOwn(definition.retired, upstreamModel)
    ? definition.retired[upstreamModel]
    : undefined;

/** The account exists, its provider serves the model, and its settings allow the route. */
function checkAccountOfRoute(
  { issues, writtenAccounts, accounts }: RouteContext,
  { model, path, members: { account } }: WrittenRoute,
  validName: string | undefined,
  definition: ProviderDefinition | undefined,
): void {
  if (validName !== undefined && account !== localAccount && !Object.hasOwn(writtenAccounts, validName)) {
    const hint = didYouMean(validName, Object.keys(writtenAccounts));
    issues.add(`there is no account ${validName}${hint}`, ...path, 'account');
  }
  if (!model) return;
  if (definition && !serves(definition, model))
    issues.add(`a ${definition.name} account does not serve this model`, ...path, 'account');
  const refusal = accounts.find(({ id }) => id === account)?.routeRefusal(model);
  if (refusal) issues.add(refusal, ...path, 'account');
}

/** The members that the provider defines for its routes; the local engine has none. */
function readRouteOptions(
  { issues }: RouteContext,
  { model, path, members }: WrittenRoute,
  others: Readonly<Record<string, unknown>>,
  definition: ProviderDefinition | undefined,
): unknown {
  const bodySchema = model?.family === 'own' && definition && bodySchemaOf(definition, others);
  const schema = members.account === localAccount ? noOptions : bodySchema || definition?.routeOptions;
  const options =
    schema && issues.valueOf(parseSettings(schema, others, Object.keys(routeBase.shape)), ...path);
  if (options === undefined || !model) return options;
  for (const { path: at, reason } of definition?.routeFaults(model, options) ?? [])
    issues.add(reason, ...path, ...at.split('.'));
  return options;
}

/** The schema of a route with a body; null for a route whose options are those of every model. */
const bodySchemaOf = ({ bodyRoutes }: ProviderDefinition, others: Readonly<Record<string, unknown>>) =>
  bodyRoutes && ('body' in others || !bodyRoutes.isOptional) ? bodyRoutes.schema : null;

/** Whether the route's body names the model, so that it cannot be left out. */
const requiresUpstreamModel = (
  definition: ProviderDefinition | undefined,
  others: Readonly<Record<string, unknown>>,
): boolean => definition?.bodyRoutes?.namesModel === true && bodySchemaOf(definition, others) !== null;

/** The provider of a written account, whatever else of the account is wrong. */
function providerOf({ writtenAccounts }: RouteContext, account: unknown): unknown {
  const written = Object.entries(writtenAccounts).find(([id]) => id === account)?.[1];
  return members.safeParse(written).data?.provider;
}

/** Names for suggestions. */
const idsOf = ({ catalog }: KnownModels): readonly string[] => catalog.all.map(({ id }) => id);

/** Whether accounts of the provider can have a route of the model. */
const serves = ({ models, servesCustomModels }: ProviderDefinition, { id, family }: Model): boolean =>
  models === null || (family === 'own' ? servesCustomModels : Object.hasOwn(models, id));

/** Schema that reads a secret from `env:NAME`, or from the first line of `file:PATH`. */
export function secretReader(env: Environment): z.ZodType<string> {
  return secretReference.transform((text, context): string => {
    const isVariable = text.startsWith('env:');
    const where = text.slice(text.indexOf(':') + 1);
    const found = isVariable ? env[where] : firstLine(where);
    if (found !== undefined && found !== '') return found;
    const message = isVariable ? `the variable ${where} is not set` : `the file ${where} is missing or empty`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** Editors end files with a line break, which is no part of a secret. */
function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]?.trim();
  } catch {
    return undefined;
  }
}
