import type { Provider } from '../domain/provider.ts';
import type { Outbound } from '../media/outbound.ts';

/** One account at one upstream, or the engine of this machine. */
export interface Account {
  readonly id: string;
  readonly provider: Provider;
  /** Jobs at once. */
  readonly slots: number;
  /** Limits that hold over all processes; null: the slots count in this process alone. */
  readonly sharedLimits: { readonly rate: AccountRate | null } | null;
  /** The way to the results that its upstream names. */
  readonly resultsClient: Outbound;
}

/** How fast jobs may be started at an account. */
export interface AccountRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Where the jobs of a model may go. */
export interface Route {
  readonly account: Account;
  /** What the upstream calls the model. */
  readonly upstreamModel: string;
  /** Its share among the routes of the model that are free. */
  readonly weight: number;
  /** What the operator wrote for the route beside that, as its provider's schema left it. */
  readonly options?: unknown;
}

/** Which account serves which model. */
export interface Routing {
  readonly accounts: readonly Account[];
  /** At least one. */
  routesOf(modelId: string): readonly Route[];
  /** Closes what was replaced by other settings, as far as it is used no more. */
  closeReplaced(isUsed: (account: Account) => boolean): Promise<void>;
}

/** Every model without routes of its own goes to `otherwise`. */
export function openRouting(
  accounts: readonly Account[],
  routes: ReadonlyMap<string, readonly Route[]>,
  otherwise: Account,
): Routing {
  return {
    accounts,
    routesOf: modelId => routes.get(modelId) ?? [{ account: otherwise, upstreamModel: modelId, weight: 1 }],
    closeReplaced: async () => {},
  };
}

/** The routes of a model, each as often at the front as its weight says. */
export function shuffleByWeight(
  routes: readonly Route[],
  random: () => number = Math.random,
): readonly Route[] {
  if (routes.length < 2) return routes;
  // The first of exponential waits, each with the weight as its rate, falls on a route by its share.
  return routes
    .map(route => ({ route, wait: -Math.log(1 - random()) / route.weight }))
    .toSorted((a, b) => a.wait - b.wait)
    .map(({ route }) => route);
}
