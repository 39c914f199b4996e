import type { Catalog } from '../catalog/catalog.ts';
import { type Config, readConfig } from '../config/config.ts';

/** Throws the faults; says what is in force when there are none. Secrets are not shown. */
export function checkConfig(): void {
  const { secret, adminToken, metricsToken, databaseUrl, s3, catalog, ...rest } = readConfig(process.env);
  const shown = {
    ...rest,
    databaseUrl: databaseUrl === null ? 'SQLite in the data folder' : withoutPassword(databaseUrl),
    blobs:
      s3 === null
        ? 'a folder in the data folder'
        : { ...s3, credentials: s3.credentials ? 'set' : 'looked for' },
    secret: secret === null ? 'kept in the data folder' : 'set',
    adminToken: adminToken === null ? 'kept in the data folder' : 'set',
    metricsToken: metricsToken === null ? 'not set: metrics are for this machine alone' : 'set',
    ownModels: customModelAccounts(catalog, rest),
  };
  process.stdout.write(`The settings are right.\n${JSON.stringify(shown, null, 2)}\n`);
}

/** Of each model that the operator adds, who makes it. */
const customModelAccounts = ({ all }: Catalog, { routing }: Pick<Config, 'routing'>) =>
  Object.fromEntries(
    all
      .filter(({ family }) => family === 'own')
      .map(({ id }) => [
        id,
        routing.routes.get(id)?.map(({ account }) => account) ?? 'no route: the engine of this machine',
      ]),
  );

function withoutPassword(address: string): string {
  const url = new URL(address);
  if (url.password) url.password = '***';
  return url.href;
}
