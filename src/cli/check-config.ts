/** `atelier config check`: validates the settings and prints them without secrets; with `--online` it tests the accounts. */
import type { Catalog } from '../catalog/catalog.ts';
import { type Config, readConfig } from '../config/config.ts';
import { testAccount } from '../routing/account-status.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { describeRouteTest } from './providers.ts';

/** Throws `ConfigError` with every problem; prints the settings in use when there is none, and tests where asked. */
export async function checkConfig({ online = false }: { readonly online?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  process.stdout.write(describeSettings(config));
  if (online) await testAccounts(config);
}

/** One free call for each account with a route, and for each route; throws with those that cannot work. */
async function testAccounts({ routing, allowPrivateNetwork }: Config): Promise<void> {
  const bad: string[] = [];
  for (const account of routing.accounts) {
    // An account without a route is never called.
    if (![...routing.routes.values()].flat().some(route => route.account === account.id)) continue;
    const { outcome, says, routes } = await testAccount(account, routing, allowPrivateNetwork);
    const line = `${account.id}: ${says}`;
    if (outcome === 'refused' || outcome === 'unreachable') bad.push(line);
    else print(line);
    for (const route of routes) {
      if (route.outcome === 'refused') bad.push(`${account.id}: ${describeRouteTest(route).trim()}`);
      else print(describeRouteTest(route));
    }
  }
  if (bad.length > 0) throw new CommandError(bad.join('\n'));
}

/** What the command prints of valid settings: as JSON, without secrets. */
export function describeSettings(config: Config): string {
  const { secret, adminToken, metricsToken, databaseUrl, s3, catalog, ...rest } = config;
  const shown = {
    ...rest,
    databaseUrl: databaseUrl === null ? 'SQLite in the data folder' : withoutPassword(databaseUrl),
    blobs:
      s3 === null
        ? 'a folder in the data folder'
        : { ...s3, credentials: s3.credentials ? 'set' : 'from the default credential chain' },
    secret: secret === null ? 'stored in the data folder' : 'set',
    adminToken: adminToken === null ? 'stored in the data folder' : 'set',
    metricsToken: metricsToken === null ? 'not set: /metrics answers only to this machine' : 'set',
    ownModels: customModelAccounts(catalog, rest),
  };
  return `Settings are valid.\n${JSON.stringify(shown, null, 2)}\n`;
}

/** Model id → accounts that serve it, for each custom model. */
const customModelAccounts = ({ all }: Catalog, { routing }: Pick<Config, 'routing'>) =>
  Object.fromEntries(
    all
      .filter(({ family }) => family === 'own')
      .map(({ id }) => [
        id,
        routing.routes.get(id)?.map(({ account }) => account) ?? 'no route: rendered by the local engine',
      ]),
  );

/** The address of the database with `***` as its password. */
function withoutPassword(address: string): string {
  const url = new URL(address);
  if (url.password) url.password = '***';
  return url.href;
}
