/** A key for a gateway in a process of its own, without the second that `atelier keys create` takes to start. */
import { mkdir } from 'node:fs/promises';
import { pino } from 'pino';
import { openStore } from '../../src/app/open-store.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { createKey } from '../../src/store/people/keys.ts';
import type { Environment } from './program.ts';

/** Of the user ann, in the database that the environment names; gives its secret. */
export async function createKeyOfAnn(env: Environment): Promise<string> {
  const dataDir = env.ATELIER_DATA_DIR;
  if (dataDir === undefined) throw new Error('expected ATELIER_DATA_DIR');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const place = { databaseUrl: env.ATELIER_DATABASE_URL ?? null, dataDir };
  const db = await openStore(place, pino({ level: 'silent' }));
  try {
    await migrate(db, Date.now());
    const wanted = { userName: 'ann', name: null, models: null, expiresAt: null };
    return (await createKey(db, wanted, Date.now())).secret;
  } finally {
    await db.close();
  }
}
