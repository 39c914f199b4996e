/** The first API key and the link of the console's setup, created at the very first start. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { systemClock } from '../domain/clock.ts';
import type { Connection } from '../store/db/connection.ts';
import { anyKeyExists, createKey } from '../store/people/keys.ts';
import type { FirstSecrets } from './banner.ts';
import { makeSetupCode } from './setup-link.ts';

/**
 * Null where a key exists already, or the role serves no API. The key is shown in a terminal only: elsewhere stdout
 * is stored in logs, so there the key is written to a file.
 */
export async function makeFirstSecrets(config: Config, db: Connection): Promise<FirstSecrets | null> {
  if (config.role === 'worker' || (await anyKeyExists(db))) return null;
  const now = systemClock.now();
  const wanted = { userName: 'first', name: 'made at the first start', models: null, expiresAt: null };
  const { secret } = await createKey(db, wanted, now);
  const setupCode = await makeSetupCode(db, now);
  if (process.stdout.isTTY) return { key: { kind: 'shown', secret }, setupCode };
  const path = join(config.dataDir, 'first-key');
  await rm(path, { force: true });
  await writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return { key: { kind: 'kept', path }, setupCode };
}
