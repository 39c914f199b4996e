import { tmpdir } from 'node:os';
import type { AccountConfig } from '../accounts.ts';
import { models } from '../catalog/index.ts';
import { type Config, readConfig } from '../config.ts';
import { systemClock } from '../domain/clock.ts';
import type { TestResult } from '../domain/provider.ts';
import { openOutbound } from '../media/connect.ts';
import { localAccount } from '../store/claims.ts';
import { CommandFault } from './command-fault.ts';
import { print } from './print.ts';

export async function listProvidersCommand({ json }: { readonly json?: true }): Promise<void> {
  const config = readConfig(process.env);
  const engine = { id: localAccount, provider: localAccount, slots: config.localConcurrency };
  const rows = [engine, ...config.routing.accounts].map(({ id, provider, slots }) => ({
    account: id,
    provider,
    slots,
    models: modelsOf(id, config),
  }));
  if (json) return print(JSON.stringify(rows));
  for (const { account, provider, slots, models } of rows) {
    print([account, provider, `${slots} slots`, models.join(',') || 'no model is routed to it'].join('  '));
  }
}

/** Those that clients may have made there; what has no route is made by the local engine. */
const modelsOf = (account: string, { routing, modelsOff }: Config): readonly string[] =>
  models
    .map(({ id }) => id)
    .filter(id => !modelsOff.includes(id))
    .filter(id =>
      (routing.routes.get(id) ?? [{ account: localAccount }]).some(route => route.account === account),
    );

export async function testProviderCommand(id: string): Promise<void> {
  const { routing, allowPrivateNetwork } = readConfig(process.env);
  if (id === localAccount)
    throw new CommandFault('local is the engine of this machine. It is tried by: atelier doctor');
  const account = routing.accounts.find(account => account.id === id);
  if (!account) throw new CommandFault(`There is no account ${id}. See: atelier providers list`);
  const result = await test(account, allowPrivateNetwork);
  if (result?.kind !== 'accepted') throw new CommandFault(`${id}: ${say(result, account)}`);
  print(`${id}: the upstream answers and takes the account. Nothing was charged.`);
}

/** Null where no call is known that costs nothing. */
async function test({ open }: AccountConfig, allowPrivate: boolean): Promise<TestResult | null> {
  const outbound = openOutbound({ allowPrivate });
  const opened = open({ clock: systemClock, outbound, linkTo: () => null, folder: tmpdir() });
  try {
    return (await opened.provider.test?.()) ?? null;
  } finally {
    await opened.close();
    await outbound.close();
  }
}

/** What it means, and what to do. */
function say(
  result: Exclude<TestResult, { readonly kind: 'accepted' }> | null,
  { provider }: AccountConfig,
): string {
  switch (result?.kind) {
    case undefined:
      return `not tried, because no call of ${provider} is known that costs nothing. The first job tells.`;
    case 'refused':
      return `${result.reason}. Look at the key, its balance and its rights there, and whether base_url is where it belongs.`;
    case 'unreachable':
      return `no answer (${result.reason}). Look at base_url, and whether this machine may call it.`;
    case 'unclear':
      return `${result.reason}, which says nothing of the account. Look at base_url, and try again later.`;
  }
}
