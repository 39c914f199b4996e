/** The configured accounts and routes, and the opening and replacing of accounts in a running gateway. */
import type { Catalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import { localAccount } from '../domain/provider.ts';
import type { IngressRequest } from '../domain/upstream-webhook-address.ts';
import { definitionOf } from '../providers/index.ts';
import type { AccountSettings, OpenedProvider, ProviderDependencies } from '../providers/kit/definition.ts';
import type { RouteCandidate } from './choose-routes.ts';
import { type Account, type AccountRate, openRouting, type Route, type Routing } from './routes.ts';

/** An account of the settings; its provider's settings and secrets are inside its functions. */
export interface AccountConfig extends AccountSettings {
  readonly id: string;
  readonly provider: string;
  /** Jobs at once, over all processes. */
  readonly slots: number;
  readonly rate: AccountRate | null;
}

/** A route of the settings. */
export interface RouteConfig {
  readonly account: string;
  readonly upstreamModel: string;
  readonly weight: number;
  /** Parsed by the schema of the provider. */
  readonly options?: unknown;
}

/** All accounts, and the routes of each model; a model without routes goes to the local engine. */
export interface RoutingConfig {
  readonly accounts: readonly AccountConfig[];
  readonly routes: ReadonlyMap<string, readonly RouteConfig[]>;
}

/** The routes of a model, as admission checks an input against them. */
export function candidatesOf({ accounts, routes }: RoutingConfig, model: Model): readonly RouteCandidate[] {
  const byDefault: Omit<RouteConfig, 'weight'> = { account: localAccount, upstreamModel: model.id };
  const list = routes.get(model.id) ?? [byDefault];
  return list.map(({ account, upstreamModel, options }) => {
    const settings = accounts.find(({ id }) => id === account);
    const definition = definitionOf(settings?.provider ?? '');
    return {
      account,
      requiresSameAccount: definition?.requiresSameAccount ?? false,
      foreignKinds: settings?.foreignKinds ?? [],
      faults: input =>
        account === localAccount
          ? model.renderFaults(input)
          : (definition?.faults(model, input, { upstreamModel, options }) ?? []),
    };
  });
}

/** Whether the upstream of the account signed the call. True for a removed account, which has no key: its path is secret. */
export const verifyIngressSignature = (
  { accounts }: RoutingConfig,
  account: string,
  call: IngressRequest,
): boolean => accounts.find(({ id }) => id === account)?.verifySignature(call) ?? true;

/** The settings from which accounts are opened. */
export interface RoutingSnapshot {
  readonly routing: RoutingConfig;
  readonly catalog: Catalog;
}

/** Accounts that can be replaced while they have running jobs. */
interface LiveRouting extends Routing {
  /** Replaced accounts stay open until `closeReplaced` finds them unused. */
  replace(next: RoutingSnapshot): void;
  close(): Promise<void>;
}

/** Opens the accounts that have a route; models without a route use `local`. */
export function openAccounts(
  first: RoutingSnapshot,
  local: Account,
  dependencies: ProviderDependencies,
): LiveRouting {
  const open = (served: RoutingSnapshot) => openRoutedAccounts(served, local, dependencies);
  const replaced = new Set<OpenedAccount>();
  let current = open(first);
  return {
    get accounts() {
      return current.accounts;
    },
    routesOf: modelId => current.routesOf(modelId),
    replace(next) {
      for (const account of current.opened) replaced.add(account);
      current = open(next);
    },
    async closeReplaced(isUsed) {
      for (const account of replaced) {
        if (isUsed(account)) continue;
        replaced.delete(account);
        await account.close();
      }
    },
    close: async () =>
      void (await Promise.all([...replaced, ...current.opened].map(account => account.close()))),
  };
}

type OpenedAccount = Account & OpenedProvider;

/** Opens each account that has a route of some model, and no other. */
function openRoutedAccounts(
  { routing: { accounts, routes }, catalog }: RoutingSnapshot,
  local: Account,
  dependencies: ProviderDependencies,
): Pick<Routing, 'accounts' | 'routesOf'> & { readonly opened: readonly OpenedAccount[] } {
  const used = new Set(
    catalog.all.flatMap(({ id }) => routes.get(id)?.map(({ account }) => account) ?? [localAccount]),
  );
  const opened = accounts
    .filter(({ id }) => used.has(id))
    .map(({ id, slots, rate, open }) => ({ id, slots, sharedLimits: { rate }, ...open(dependencies) }));
  const byId = new Map<string, Account>(opened.map(account => [account.id, account]));
  if (used.has(localAccount)) byId.set(localAccount, local);
  const opensTo = ({ account: id, ...route }: RouteConfig): readonly Route[] => {
    const account = byId.get(id);
    return account ? [{ ...route, account }] : [];
  };
  const open = new Map([...routes].map(([modelId, list]) => [modelId, list.flatMap(opensTo)]));
  return { ...openRouting([...byId.values()], open, local), opened };
}
