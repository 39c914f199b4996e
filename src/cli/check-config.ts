/** `atelier config check`: validates the settings and prints them without secrets. */
import type { Catalog } from '../catalog/catalog.ts';
import { type Config, readConfig } from '../config/config.ts';

/** Throws `ConfigError` with every problem; prints the settings in use when there is none. */
export function checkConfig(): void {
  const { secret, adminToken, metricsToken, databaseUrl, s3, catalog, ...rest } = readConfig(process.env);
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
  process.stdout.write(`Settings are valid.\n${JSON.stringify(shown, null, 2)}\n`);
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
