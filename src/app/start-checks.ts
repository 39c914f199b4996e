import { join } from 'node:path';
import { containsBlobs } from '../blobs/disk.ts';
import type { Config } from '../config/config.ts';
import { localAccount } from '../domain/provider.ts';
import type { RoutingConfig } from '../routing/accounts.ts';
import { type Destination, reconcile } from '../store/attempts/reconcile.ts';
import { type CallbackSecrets, openCallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import { readBackupTime } from '../store/db/backup.ts';
import type { Connection } from '../store/db/connection.ts';
import { findUnsafePostgresSetting, readPostgresSettings } from '../store/db/postgres-check.ts';
import { findDatabaseCorruption, findDatabaseLoss } from '../store/db/sqlite-check.ts';
import { StartError } from './start-error.ts';

/** A database that cannot be used as it is stops the start, before anything is written to it. */

export const sqlitePath = (dataDir: string): string => join(dataDir, 'atelier.db');

/** Nobody begins an empty database in the place of a lost one. */
export async function checkDatabasePresent(dataDir: string): Promise<void> {
  throwStartError(findDatabaseLoss(sqlitePath(dataDir), await containsBlobs(join(dataDir, 'blobs'))));
}

export async function checkDatabaseIntact(dataDir: string): Promise<void> {
  await checkDatabasePresent(dataDir);
  throwStartError(findDatabaseCorruption(sqlitePath(dataDir)));
}

/** A server that loses commits; a backup that is started as if nothing had happened after it was made. */
export async function checkDatabaseUsable(
  db: Connection,
  { isReconciling }: { readonly isReconciling: boolean },
): Promise<void> {
  if (db.dialect === 'postgres') throwStartError(findUnsafePostgresSetting(await readPostgresSettings(db)));
  const backedUpAt = isReconciling ? null : await readBackupTime(db);
  if (backedUpAt === null) return;
  throw new StartError(
    `This database is a backup made at ${new Date(backedUpAt).toISOString()}: start it once with atelier serve --reconcile, so that nothing is sent again that was sent after the backup.`,
  );
}

/** The webhook secrets of a database, which are encrypted by one master secret and no other. */
export async function openVerifiedCallbackSecrets(
  db: Connection,
  masterSecret: string,
): Promise<CallbackSecrets> {
  const secrets = openCallbackSecrets(db, masterSecret);
  if (await secrets.matchesMasterSecret()) return secrets;
  throw new StartError(
    'The master secret is not the one that the webhook secrets in this database are encrypted by: set ATELIER_SECRET as it was, or put secrets.json back into the data folder. Where it is lost or was changed on purpose, stop every process and give all users new webhook secrets: atelier callbacks renew-secrets.',
  );
}

/** How many jobs may have been sent after the backup. */
export async function reconcileRestored(
  db: Connection,
  { routing }: Pick<Config, 'routing'>,
  leaseMs: number,
): Promise<number> {
  const reconciled = await reconcile(db, {
    destinationOf: (modelId, account) => destinationOf(routing, modelId, account),
    backedUpAt: await readBackupTime(db),
    // One process at a time has an SQLite folder.
    leaseMs: db.dialect === 'sqlite' ? 0 : leaseMs,
  });
  switch (reconciled.kind) {
    case 'reconciled':
      return reconciled.jobs;
    case 'workers_alive':
      throw new StartError(
        `Workers of this database were alive within the last ${leaseMs / 1000} s: stop every other process before atelier serve --reconcile.`,
      );
  }
}

function destinationOf(routing: RoutingConfig, modelId: string, account: string | null): Destination {
  const served = (routing.routes.get(modelId) ?? []).map(route => route.account);
  const id = account ?? served[0] ?? localAccount;
  const found = routing.accounts.find(one => one.id === id);
  return {
    provider: found?.provider ?? 'local',
    account: id,
    billable: found !== undefined,
    isCertain: account !== null || served.length < 2,
  };
}

function throwStartError(reason: string | null): void {
  if (reason !== null) throw new StartError(reason);
}
