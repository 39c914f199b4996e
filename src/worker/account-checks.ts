// Checks whether the provider of each account can work: jobs are claimed only for accounts that passed. Free calls then show
// the operator which accounts and routes the upstream does not accept.
import type { TestResult } from '../domain/provider.ts';
import type { Account, Route } from '../routing/routes.ts';
import type { WorkerContext } from './context.ts';

export interface AccountChecks {
  /**
   * Checks every account of the present routing, and resolves once those are checked that did not pass at the start
   * before; the free calls go on after that.
   */
  checkAll(): Promise<void>;
  /** Whether its provider passed the last check; false before the first. */
  readonly isUsable: (accountId: string) => boolean;
  /** Why the first account that cannot be used cannot; null: all can. */
  readonly unavailableReason: () => string | null;
}

type CheckContext = Pick<WorkerContext, 'routing' | 'catalog' | 'breaker' | 'passedChecks' | 'log'>;

/** `onChecked` is called after each account, for its jobs may be claimed now. */
export function openAccountChecks(
  context: CheckContext,
  { stopping, onChecked }: { readonly stopping: AbortSignal; readonly onChecked: () => void },
): AccountChecks {
  const { routing, breaker, passedChecks, log } = context;
  const results = new Map<string, Awaited<ReturnType<Account['provider']['ready']>>>();

  async function checkAccount(account: Account): Promise<void> {
    const { id, provider } = account;
    const result = await provider.ready();
    results.set(id, result);
    onChecked();
    // A stop aborts the check, which says nothing about the provider.
    if (stopping.aborted) return;
    passedChecks.record(id, result.ok);
    if (result.ok)
      void testAtUpstream(context, account, stopping).catch(failure =>
        log.warn({ err: failure, account: id }, 'test of an account failed'),
      );
    else log.error({ account: id, reason: result.reason }, 'provider unavailable, its jobs wait');
  }

  return {
    async checkAll() {
      // The settings may have put right what was wrong.
      await breaker.forgetTroubles();
      const checks = routing.accounts.map(account => {
        const checked = checkAccount(account);
        if (!passedChecks.has(account.id)) return checked;
        checked.catch(failure => log.error({ err: failure, account: account.id }, 'provider check failed'));
        return null;
      });
      await Promise.all(checks);
    },
    isUsable: accountId => results.get(accountId)?.ok ?? false,
    unavailableReason() {
      for (const account of routing.accounts) {
        const result = results.get(account.id);
        if (!result && !passedChecks.has(account.id)) return 'provider check in progress';
        if (result?.ok === false) return result.reason;
      }
      return null;
    },
  };
}

/** One free call for the account, then one for each of its routes, where the provider has such calls. */
async function testAtUpstream(context: CheckContext, account: Account, stopping: AbortSignal): Promise<void> {
  const { provider } = account;
  const routes = routesOfAccount(context, account);
  const tested = await provider.test?.();
  if (tested?.kind === 'refused') return reportTroubles(context, account, routes, tested);
  for (const { modelId, upstreamModel, options } of routes) {
    if (stopping.aborted) return;
    const found = await provider.testRoute?.({ modelId, upstreamModel, routeOptions: options });
    if (found?.kind === 'refused') await reportTroubles(context, account, [{ modelId }], found);
  }
}

/** Every route that leads to the account, with its model. */
const routesOfAccount = (
  { catalog, routing }: CheckContext,
  { id }: Account,
): readonly (Route & { readonly modelId: string })[] =>
  catalog.all.flatMap(({ id: modelId }) =>
    routing
      .routesOf(modelId)
      .filter(({ account }) => account.id === id)
      .map(route => ({ ...route, modelId })),
  );

/** A trouble is shown to the operator; the jobs of the route go on until the upstream refuses them, too. */
async function reportTroubles(
  { breaker, log }: CheckContext,
  { id: account }: Account,
  routes: readonly { readonly modelId: string }[],
  { reason }: TestResult & { kind: 'refused' },
): Promise<void> {
  const models = routes.map(({ modelId }) => modelId);
  log.error({ account, models, reason }, 'upstream refuses the account or its route');
  for (const modelId of models)
    await breaker.recordTrouble(
      { account, modelId },
      { code: 'provider_unavailable', message: reason, retry: true },
    );
}
