/** Open accounts and the routes of models to them, as the worker uses them. */
import type { Provider } from '../domain/provider.ts';
import type { Outbound } from '../media/outbound.ts';

/** An open account at an upstream, or the engine of this machine. */
export interface Account {
  readonly id: string;
  readonly provider: Provider;
  /** Jobs that may run at once. */
  readonly slots: number;
  /** Limits over all processes; null: the slots count in this process alone. */
  readonly sharedLimits: { readonly rate: AccountRate | null } | null;
  /** Fetches the results from the URLs that its upstream returns. */
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
  /** The upstream's name of the model. */
  readonly upstreamModel: string;
  /** Its share of the jobs among the routes of the model with free slots. */
  readonly weight: number;
  /** Further settings of the route, parsed by the schema of its provider. */
  readonly options?: unknown;
}

/** Which account serves which model. */
export interface Routing {
  readonly accounts: readonly Account[];
  /** At least one. */
  routesOf(modelId: string): readonly Route[];
  /** Closes accounts that a reload replaced and that have no running jobs. */
  closeReplaced(isUsed: (account: Account) => boolean): Promise<void>;
}

/** Models without a route use `fallback`. */
export function openRouting(
  accounts: readonly Account[],
  routes: ReadonlyMap<string, readonly Route[]>,
  fallback: Account,
): Routing {
  return {
    accounts,
    routesOf: modelId => routes.get(modelId) ?? [{ account: fallback, upstreamModel: modelId, weight: 1 }],
    closeReplaced: async () => {},
  };
}

/** The routes in random order; each is first with a probability in proportion to its weight. */
export function shuffleByWeight(
  routes: readonly Route[],
  random: () => number = Math.random,
): readonly Route[] {
  if (routes.length < 2) return routes;
  // Of exponential waits with the weights as rates, the shortest is a route's with the probability of its share.
  return routes
    .map(route => ({ route, wait: -Math.log(1 - random()) / route.weight }))
    .toSorted((a, b) => a.wait - b.wait)
    .map(({ route }) => route);
}
