import { readConfig } from '../config.ts';

/** Throws the faults; says what is in force when there are none. Secrets are not shown. */
export function checkConfig(): void {
  const { secret, adminToken, databaseUrl, s3, ...rest } = readConfig(process.env);
  const shown = {
    ...rest,
    databaseUrl: databaseUrl === null ? 'SQLite in the data folder' : withoutPassword(databaseUrl),
    blobs:
      s3 === null
        ? 'a folder in the data folder'
        : { ...s3, credentials: s3.credentials ? 'set' : 'looked for' },
    secret: secret === null ? 'kept in the data folder' : 'set',
    adminToken: adminToken === null ? 'kept in the data folder' : 'set',
  };
  process.stdout.write(`The settings are right.\n${JSON.stringify(shown, null, 2)}\n`);
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  if (url.password) url.password = '***';
  return url.href;
}
