/** Checks at the start: a database that cannot be used as it is stops the start, before anything is written to it. */
import { join } from 'node:path';
import { containsBlobs } from '../blobs/disk.ts';
import type { Config } from '../config/config.ts';
import { localAccount } from '../domain/provider.ts';
import type { RoutingConfig } from '../routing/accounts.ts';
import { type Destination, reconcileRestoredBackup } from '../store/attempts/restored-backup.ts';
import { type CallbackSecrets, openCallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import { readBackupTime } from '../store/db/backup.ts';
import type { Connection } from '../store/db/connection.ts';
import { findUnsafePostgresSetting, readPostgresSettings } from '../store/db/postgres-check.ts';
import { findDatabaseCorruption, findDatabaseLoss } from '../store/db/sqlite-check.ts';
import { StartError } from './start-error.ts';

/** The SQLite file in the data folder. */
export const sqlitePath = (dataDir: string): string => join(dataDir, 'atelier.db');

/** Throws where the database is missing but its blobs are there: an empty one must not take its place. */
export async function checkDatabasePresent(dataDir: string): Promise<void> {
  throwStartError(findDatabaseLoss(sqlitePath(dataDir), await containsBlobs(join(dataDir, 'blobs'))));
}

/** Throws where the SQLite file is missing or damaged. */
export async function checkDatabaseIntact(dataDir: string): Promise<void> {
  await checkDatabasePresent(dataDir);
  throwStartError(findDatabaseCorruption(sqlitePath(dataDir)));
}

/** Throws for a PostgreSQL server that may lose commits, and for a backup that is started without `--reconcile`. */
export async function checkDatabaseUsable(
  db: Connection,
  { isReconciling }: { readonly isReconciling: boolean },
): Promise<void> {
  if (db.dialect === 'postgres') throwStartError(findUnsafePostgresSetting(await readPostgresSettings(db)));
  const backedUpAt = isReconciling ? null : await readBackupTime(db);
  if (backedUpAt === null) return;
  throw new StartError(
    `This database is a backup made at ${new Date(backedUpAt).toISOString()}: start it once with atelier serve --reconcile, so that no job submitted after the backup is submitted twice.`,
  );
}

/** The webhook secrets of the database; throws where they were encrypted with another master secret. */
export async function openVerifiedCallbackSecrets(
  db: Connection,
  masterSecret: string,
): Promise<CallbackSecrets> {
  const secrets = openCallbackSecrets(db, masterSecret);
  if (await secrets.matchesMasterSecret()) return secrets;
  throw new StartError(
    'The master secret does not match the one that encrypted the webhook secrets in this database: set ATELIER_SECRET as it was, or put secrets.json back into the data folder. Where it is lost or was changed on purpose, stop every process and give all users new webhook secrets: atelier callbacks renew-secrets.',
  );
}

/** Finds the jobs that may have been submitted after the backup; returns how many. */
export async function reconcileRestored(
  db: Connection,
  { routing }: Pick<Config, 'routing'>,
  leaseMs: number,
): Promise<number> {
  const reconciled = await reconcileRestoredBackup(db, {
    destinationOf: (modelId, account) => destinationOf(routing, modelId, account),
    backedUpAt: await readBackupTime(db),
    // A SQLite folder is locked by one process, so no worker can be alive.
    leaseMs: db.dialect === 'sqlite' ? 0 : leaseMs,
  });
  switch (reconciled.kind) {
    case 'reconciled':
      return reconciled.jobs;
    case 'workers_alive':
      throw new StartError(
        `Workers of this database sent a heartbeat within the last ${leaseMs / 1000} s: stop every other process before atelier serve --reconcile.`,
      );
  }
}

/** The account at which a job ran; where none is recorded, the first route of its model, which may be wrong. */
function destinationOf(routing: RoutingConfig, modelId: string, account: string | null): Destination {
  const accounts = (routing.routes.get(modelId) ?? []).map(route => route.account);
  const id = account ?? accounts[0] ?? localAccount;
  const found = routing.accounts.find(each => each.id === id);
  return {
    provider: found?.provider ?? 'local',
    account: id,
    billable: found !== undefined,
    isCertain: account !== null || accounts.length < 2,
  };
}

function throwStartError(reason: string | null): void {
  if (reason !== null) throw new StartError(reason);
}
