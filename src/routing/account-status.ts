/** The accounts as an operator sees them: settings, load, circuit state, and a free test call. */
import { tmpdir } from 'node:os';
import { type Catalog, openCatalog } from '../catalog/catalog.ts';
import type { AccountStatuses, AccountTest, RouteTest } from '../domain/account-status.ts';
import { systemClock, toUnixSeconds } from '../domain/clock.ts';
import type { Provider, TestResult } from '../domain/provider.ts';
import { localAccount } from '../domain/provider.ts';
import { openOutbound } from '../media/outbound.ts';
import type { Connection } from '../store/db/connection.ts';
import { readAccounts, recordAccountTest, unusedAccount } from '../store/jobs/account-states.ts';
import { readRouteTroubles } from '../store/jobs/route-troubles.ts';
import type { AccountConfig, RoutingConfig } from './accounts.ts';

/** What the status is read from. */
interface AccountStatusDependencies {
  /** Load, pauses and open circuits of all processes. */
  readonly db: Connection;
  readonly clock: { now(): number };
  readonly config: { readonly localConcurrency: number; readonly allowPrivateNetwork: boolean };
  /** The current settings. */
  readonly routing: () => RoutingConfig;
  readonly catalog: () => Catalog;
}

/** Reads the load from the database, so that it includes the jobs of all processes. */
export function openAccountStatus({
  db,
  clock,
  config,
  routing,
  catalog,
}: AccountStatusDependencies): AccountStatuses {
  // The local engine is an account without settings.
  const engine = { id: localAccount, provider: localAccount, slots: config.localConcurrency };
  return {
    async list() {
      const [found, troubles] = [await readAccounts(db), await readRouteTroubles(db)];
      return [engine, ...routing().accounts].map(({ id, provider, slots }) => {
        // An account that no job has used yet has no row.
        const now = found.get(id) ?? unusedAccount;
        const isBlocked = now.blockedUntil > clock.now();
        return {
          account: id,
          provider,
          slots,
          running: now.running,
          models: modelsOfAccount(id, routing(), catalog()),
          blocked_until: isBlocked ? toUnixSeconds(now.blockedUntil) : null,
          blocked_why: isBlocked ? now.why : null,
          paused: now.isPaused,
          tested: now.tested && { ...now.tested, at: toUnixSeconds(now.tested.at) },
          last_error: now.lastError && { ...now.lastError, at: toUnixSeconds(now.lastError.at) },
          troubles: troubles
            .filter(({ account }) => account === id)
            .map(({ modelId, message, since, seenAt }) => ({
              model: modelId,
              says: message,
              since: toUnixSeconds(since),
              seen_at: toUnixSeconds(seenAt),
            })),
        };
      });
    },
    has: id => id === localAccount || routing().accounts.some(account => account.id === id),
    async test(id) {
      if (id === localAccount)
        return {
          outcome: 'untried',
          says: 'local is the engine of this machine. Check it with: atelier doctor',
          routes: [],
        };
      const account = routing().accounts.find(account => account.id === id);
      if (!account) return 'unknown';
      const tested = await testAccount(account, routing(), config.allowPrivateNetwork);
      const record = { at: clock.now(), outcome: tested.outcome, says: describeAccountTest(tested) };
      await recordAccountTest(db, id, record);
      return tested;
    },
  };
}

/** What an operator reads of a test: also of an accepted account, a route may name a model that it may not use. */
export const describeAccountTest = ({ says, routes }: AccountTest): string =>
  [
    says,
    ...routes
      .filter(({ outcome }) => outcome === 'refused')
      .map(({ model, says: reason }) => `The route of ${model} cannot work: ${reason}.`),
  ].join(' ');

/** The models with a route to the account; the local engine has every model without a route. */
export const modelsOfAccount = (
  account: string,
  { routes }: RoutingConfig,
  { all }: Catalog,
): readonly string[] =>
  all
    .map(({ id }) => id)
    .filter(id => (routes.get(id) ?? [{ account: localAccount }]).some(route => route.account === account));

/** Makes one call that costs nothing, where the provider knows one, and one for each route of an accepted account. */
export async function testAccount(
  account: AccountConfig,
  routing: Pick<RoutingConfig, 'routes'>,
  allowPrivate: boolean,
): Promise<AccountTest> {
  const outbound = openOutbound({ allowPrivate });
  // The call sends no input, so no model is needed.
  const catalog = openCatalog([]);
  const opened = account.open({
    catalog,
    clock: systemClock,
    outbound,
    linkTo: () => null,
    folder: tmpdir(),
  });
  try {
    const result = await opened.provider.test?.();
    // Routes are tested with accepted credentials alone: without them every route would fail for the same reason.
    const isTested = result === undefined || result.kind === 'accepted';
    const routes = isTested ? await testRoutes(opened.provider, account.id, routing) : [];
    return { outcome: result?.kind ?? 'untried', says: describeTestResult(result, account), routes };
  } finally {
    await opened.close();
    await outbound.close();
  }
}

/** One free call for each route to the account, one after another: a call has a time-out, and routes are few. */
async function testRoutes(
  provider: Provider,
  account: string,
  { routes }: Pick<RoutingConfig, 'routes'>,
): Promise<readonly RouteTest[]> {
  const tested: RouteTest[] = [];
  for (const [model, list] of routes) {
    const route = list.find(route => route.account === account);
    if (!route) continue;
    const { upstreamModel, options: routeOptions } = route;
    const result = await provider.testRoute?.({ modelId: model, upstreamModel, routeOptions });
    if (result) tested.push({ model, outcome: result.kind, says: 'reason' in result ? result.reason : '' });
  }
  return tested;
}

/** The meaning of a result, and what to do about it. */
function describeTestResult(result: TestResult | undefined, { provider }: AccountConfig): string {
  switch (result?.kind) {
    case undefined:
      return `not tested: ${provider} has no free call to test with. The first job will show whether the account works.`;
    case 'accepted':
      return 'the upstream accepted the credentials. Nothing was charged.';
    case 'refused':
      return `${result.reason}. Check the key, its balance and its permissions at the provider, and base_url.`;
    case 'unreachable':
      return `no answer (${result.reason}). Check base_url and the network access of this machine.`;
    case 'unclear':
      return `${result.reason}, which does not show whether the account works. Check base_url and try again later.`;
  }
}
