/** Start checks of a PostgreSQL server: its version and whether its commits are durable. */
import type { Statements } from './connection.ts';

/** The oldest version with upstream support when this was written. */
const minVersion = 14;

/** The settings that decide whether a commit is durable. */
export interface PostgresSettings {
  readonly version: number;
  readonly fsync: string;
  readonly synchronousCommit: string;
}

/** As seen by our own session, so role and URL count, too. */
export async function readPostgresSettings(db: Statements): Promise<PostgresSettings> {
  const [row] = await db.read(
    `SELECT current_setting('server_version_num') AS version, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS synchronous_commit`,
  );
  if (!row) throw new Error('expected a row of settings');
  return {
    version: Math.floor(Number(row.version) / 10_000),
    fsync: String(row.fsync),
    synchronousCommit: String(row.synchronous_commit),
  };
}

/** Null when commits are durable; otherwise one sentence that says what to change. */
export function findUnsafePostgresSetting({
  version,
  fsync,
  synchronousCommit,
}: PostgresSettings): string | null {
  if (version < minVersion)
    return `PostgreSQL ${minVersion} or newer is needed, ATELIER_DATABASE_URL points to version ${version}.`;
  if (fsync !== 'on')
    return 'PostgreSQL runs with fsync off and would lose accepted jobs: set fsync = on in postgresql.conf.';
  if (synchronousCommit === 'off')
    return 'PostgreSQL runs with synchronous_commit off and would lose accepted jobs: enable it on the server, for the role and in ATELIER_DATABASE_URL.';
  return null;
}
