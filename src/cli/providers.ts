import { readConfig } from '../config.ts';
import { modelsAt, testAccount } from '../known-accounts.ts';
import { servedOf } from '../live-settings.ts';
import { localAccount } from '../store/claims.ts';
import { CommandFault } from './command-fault.ts';
import { print } from './print.ts';

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
