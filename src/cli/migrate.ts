/** `atelier migrate`: applies the migrations of the database. */
import { mkdir } from 'node:fs/promises';
import { openStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../domain/clock.ts';
import { migrate } from '../store/db/migrate.ts';
import { openLog } from './open-log.ts';

/** Prints the names of the migrations that were applied. */
export async function migrateCommand(): Promise<void> {
  const config = readConfig(process.env);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  // Not `withStore`: that would apply the migrations before they can be listed.
  const db = await openStore(config, await openLog({ logLevel: 'error' }));
  try {
    const applied = await migrate(db, systemClock.now());
    const message = applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The database is up to date.';
    process.stdout.write(`${message}\n`);
  } finally {
    await db.close();
  }
}
