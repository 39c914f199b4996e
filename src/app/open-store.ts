/** The database of a gateway or of a command beside it: SQLite in the data folder, or PostgreSQL. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Connection } from '../store/db/connection.ts';
import type { SqliteOptions } from '../store/db/sqlite.ts';
import { openSqlite } from '../store/db/sqlite.ts';
import { checkDatabasePresent, sqlitePath } from './start-checks.ts';

/** Opens the database of the settings; throws StartError where the folder of an SQLite database is not the one it was. */
export async function openStore(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  writeFaults: SqliteOptions = {},
): Promise<Connection> {
  if (config.databaseUrl === null) {
    await checkDatabasePresent(config.dataDir);
    return openSqlite(sqlitePath(config.dataDir), writeFaults);
  }
  // Its driver is loaded only where it is used.
  const { openPostgres } = await import('../store/db/postgres.ts');
  return openPostgres({
    url: config.databaseUrl,
    onConnectionError: (what, cause) => log.warn({ err: cause }, what),
  });
}
