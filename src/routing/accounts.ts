import type { Catalog } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import { localAccount } from '../domain/provider.ts';
import { definitionOf } from '../providers/index.ts';
import type { AccountSettings, OpenedProvider, ProviderDependencies } from '../providers/kit/definition.ts';
import type { IngressRequest } from '../providers/kit/webhook-signature.ts';
import type { RouteCandidate } from './choose-routes.ts';
import { type Account, type AccountRate, openRouting, type Route, type Routing } from './routes.ts';

/** An account as the operator wrote it; what its provider needs is inside its functions, secrets with it. */
export interface AccountConfig extends AccountSettings {
  readonly id: string;
  readonly provider: string;
  /** Jobs at once, over all processes. */
  readonly slots: number;
  readonly rate: AccountRate | null;
}

export interface RouteConfig {
  readonly account: string;
  readonly upstreamModel: string;
  readonly weight: number;
  /** As its provider's schema left them. */
  readonly options?: unknown;
}

/** Which accounts there are, and which of them serve a model; a model that is not named goes to the local engine. */
export interface RoutingConfig {
  readonly accounts: readonly AccountConfig[];
  readonly routes: ReadonlyMap<string, readonly RouteConfig[]>;
}

/** The routes of a model as admission judges an input by them. */
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

/** Whether a call is signed as the upstream of that account signs. One that is gone has no key to judge by: its path is right. */
export const verifyIngressSignature = (
  { accounts }: RoutingConfig,
  account: string,
  call: IngressRequest,
): boolean => accounts.find(({ id }) => id === account)?.verifySignature(call) ?? true;

/** What accounts are opened by. */
export interface RoutingSnapshot {
  readonly routing: RoutingConfig;
  readonly catalog: Catalog;
}

/** Accounts that can be replaced while jobs are under way at them. */
interface LiveRouting extends Routing {
  /** What was open until now stays so until nobody uses it. */
  replace(next: RoutingSnapshot): void;
  close(): Promise<void>;
}

/** Opens the accounts that some model is routed to; what is routed to none goes to the local engine. */
export function openAccounts(
  first: RoutingSnapshot,
  local: Account,
  parts: ProviderDependencies,
): LiveRouting {
  const open = (served: RoutingSnapshot) => openRoutedAccounts(served, local, parts);
  const replaced = new Set<OpenedAccount>();
  let now = open(first);
  return {
    get accounts() {
      return now.accounts;
    },
    routesOf: modelId => now.routesOf(modelId),
    replace(next) {
      for (const account of now.opened) replaced.add(account);
      now = open(next);
    },
    async closeReplaced(isUsed) {
      for (const account of replaced) {
        if (isUsed(account)) continue;
        replaced.delete(account);
        await account.close();
      }
    },
    close: async () => void (await Promise.all([...replaced, ...now.opened].map(account => account.close()))),
  };
}

type OpenedAccount = Account & OpenedProvider;

function openRoutedAccounts(
  { routing: { accounts, routes }, catalog }: RoutingSnapshot,
  local: Account,
  parts: ProviderDependencies,
): Pick<Routing, 'accounts' | 'routesOf'> & { readonly opened: readonly OpenedAccount[] } {
  const used = new Set(
    catalog.all.flatMap(({ id }) => routes.get(id)?.map(({ account }) => account) ?? [localAccount]),
  );
  const opened = accounts
    .filter(({ id }) => used.has(id))
    .map(({ id, slots, rate, open }) => ({ id, slots, sharedLimits: { rate }, ...open(parts) }));
  const byId = new Map<string, Account>(opened.map(account => [account.id, account]));
  if (used.has(localAccount)) byId.set(localAccount, local);
  const opensTo = ({ account: id, ...route }: RouteConfig): readonly Route[] => {
    const account = byId.get(id);
    return account ? [{ ...route, account }] : [];
  };
  const open = new Map([...routes].map(([modelId, list]) => [modelId, list.flatMap(opensTo)]));
  return { ...openRouting([...byId.values()], open, local), opened };
}
