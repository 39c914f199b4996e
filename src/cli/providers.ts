import { readConfig } from '../config.ts';
import { systemClock } from '../domain/clock.ts';
import { modelsAt, testAccount } from '../known-accounts.ts';
import { servedOf } from '../live-settings.ts';
import { localAccount } from '../store/claims.ts';
import { pauseAccount } from '../store/slots.ts';
import { CommandFault } from './command-fault.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

export async function listProvidersCommand({ json }: { readonly json?: true }): Promise<void> {
  const config = readConfig(process.env);
  const served = servedOf(config);
  const engine = { id: localAccount, provider: localAccount, slots: config.localConcurrency };
  const rows = [engine, ...config.routing.accounts].map(({ id, provider, slots }) => ({
    account: id,
    provider,
    slots,
    models: modelsAt(id, config.routing, served),
  }));
  if (json) return print(JSON.stringify(rows));
  for (const { account, provider, slots, models } of rows) {
    print([account, provider, `${slots} slots`, models.join(',') || 'no model is routed to it'].join('  '));
  }
}

export async function testProviderCommand(id: string): Promise<void> {
  const { routing, allowPrivateNetwork } = readConfig(process.env);
  if (id === localAccount)
    throw new CommandFault('local is the engine of this machine. It is tried by: atelier doctor');
  const account = routing.accounts.find(account => account.id === id);
  if (!account) throw new CommandFault(`There is no account ${id}. See: atelier providers list`);
  const { outcome, says } = await testAccount(account, allowPrivateNetwork);
  if (outcome !== 'accepted') throw new CommandFault(`${id}: ${says}`);
  print(`${id}: ${says}`);
}

export const pauseProviderCommand = (id: string): Promise<void> => pause(id, true);
export const resumeProviderCommand = (id: string): Promise<void> => pause(id, false);

function pause(id: string, isPaused: boolean): Promise<void> {
  return withStore(async (db, { routing }) => {
    if (id !== localAccount && !routing.accounts.some(account => account.id === id))
      throw new CommandFault(`There is no account ${id}. See: atelier providers list`);
    await pauseAccount(db, id, isPaused, { actor: 'operator', now: systemClock.now() });
    print(
      isPaused
        ? `${id} is given nothing new. What is under way there goes on. Again: atelier providers resume ${id}`
        : `${id} is given jobs again.`,
    );
  });
}
