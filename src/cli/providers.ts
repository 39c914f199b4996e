/** `atelier providers`: lists, tests, pauses and resumes accounts at upstreams. */
import { readConfig } from '../config/config.ts';
import { servedModelsOf } from '../config/reload.ts';
import type { RouteTest } from '../domain/account-status.ts';
import { systemClock } from '../domain/clock.ts';
import { localAccount } from '../domain/provider.ts';
import { modelsOfAccount, testAccount } from '../routing/account-status.ts';
import { pauseAccount } from '../store/jobs/slots.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Prints every account with its slots and the models that are routed to it; the local engine first. */
export async function listProvidersCommand({ json }: { readonly json?: true }): Promise<void> {
  const config = readConfig(process.env);
  // Models that are switched off are left out.
  const served = servedModelsOf(config);
  const engine = { id: localAccount, provider: localAccount, slots: config.localConcurrency };
  const rows = [engine, ...config.routing.accounts].map(({ id, provider, slots }) => ({
    account: id,
    provider,
    slots,
    models: modelsOfAccount(id, config.routing, served),
  }));
  if (json) return print(JSON.stringify(rows));
  for (const { account, provider, slots, models } of rows) {
    print([account, provider, `${slots} slots`, models.join(',') || 'no model is routed to it'].join('  '));
  }
}

/** Makes one call that is never charged for the account, and one for each of its routes. */
export async function testProviderCommand(id: string): Promise<void> {
  const { routing, allowPrivateNetwork } = readConfig(process.env);
  if (id === localAccount) throw new CommandError('local is the local engine. Check it with: atelier doctor');
  const account = routing.accounts.find(account => account.id === id);
  if (!account) throw new CommandError(`There is no account ${id}. See: atelier providers list`);
  const { outcome, says: message, routes } = await testAccount(account, routing, allowPrivateNetwork);
  const bad = routes.filter(route => route.outcome === 'refused').map(describeRouteTest);
  if (outcome !== 'accepted') throw new CommandError([`${id}: ${message}`, ...bad].join('\n'));
  print(`${id}: ${message}`);
  for (const route of routes) if (route.outcome !== 'refused') print(describeRouteTest(route));
  if (bad.length > 0) throw new CommandError(bad.join('\n'));
}

/** One line about a route. */
export function describeRouteTest({ model, outcome, says }: RouteTest): string {
  switch (outcome) {
    case 'accepted':
      return `  ${model}: the upstream has the model of this route.`;
    case 'refused':
      return `  ${model}: this route cannot work: ${says}. Change its model or its options in atelier.yaml.`;
    case 'unclear':
    case 'unreachable':
      return `  ${model}: not shown by the test: ${says}.`;
  }
}

/** New jobs go elsewhere or wait; in-flight jobs continue. */
export const pauseProviderCommand = (id: string): Promise<void> => setPaused(id, true);
/** Undoes a pause. */
export const resumeProviderCommand = (id: string): Promise<void> => setPaused(id, false);

/** Stored in the database, so every process of the gateway follows; the change is in the audit log. */
function setPaused(id: string, isPaused: boolean): Promise<void> {
  return withStore(async (db, { routing }) => {
    if (id !== localAccount && !routing.accounts.some(account => account.id === id))
      throw new CommandError(`There is no account ${id}. See: atelier providers list`);
    await pauseAccount(db, id, isPaused, { actor: 'operator', now: systemClock.now() });
    print(
      isPaused
        ? `${id} is paused; in-flight jobs continue. Resume: atelier providers resume ${id}`
        : `${id} is resumed.`,
    );
  });
}
