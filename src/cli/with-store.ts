/** Gives a command the database of the settings. */
import { mkdir } from 'node:fs/promises';
import { openStore } from '../app/open-store.ts';
import { type Config, readConfig } from '../config/config.ts';
import { systemClock } from '../domain/clock.ts';
import type { Connection } from '../store/db/connection.ts';
import { migrate } from '../store/db/migrate.ts';
import { openLog } from './open-log.ts';

/** Opens the database (a server may run on it), applies migrations, and closes it after `work`. */
export async function withStore<T>(work: (db: Connection, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const db = await openStore(config, await openLog({ logLevel: 'error' }));
  try {
    await migrate(db, systemClock.now());
    return await work(db, config);
  } finally {
    await db.close();
  }
}
