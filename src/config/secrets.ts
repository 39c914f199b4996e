/** The secrets of an installation: from the configuration, or generated once and stored in the data folder. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from './config.ts';

/** What signs, and what logs in. */
export interface Secrets {
  /** Master of every signature. */
  readonly secret: string;
  /** Opens the admin API. */
  readonly adminToken: string;
  /** Signs the cookies of the console; another admin token ends all sessions. */
  readonly sessionKey: string;
}

const storedSecrets = z.object({ secret: z.string().min(16), adminToken: z.string().min(16) });
type StoredSecrets = z.output<typeof storedSecrets>;

/** Those that the configuration does not set are read from `secrets.json`, which is created at the first start. */
export async function openSecrets(
  config: Pick<Config, 'dataDir' | 'secret' | 'adminToken'>,
): Promise<Secrets> {
  const { secret, adminToken } = config;
  if (secret !== null && adminToken !== null) return withDerived({ secret, adminToken });
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const path = join(config.dataDir, 'secrets.json');
  const stored = (await readStoredSecrets(path)) ?? (await createSecretsFile(path));
  return withDerived({ secret: secret ?? stored.secret, adminToken: adminToken ?? stored.adminToken });
}

function withDerived(stored: StoredSecrets): Secrets {
  const salt = `${stored.adminToken}\n`;
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', stored.secret, salt, purpose, bytes)).toString('base64url');
  return {
    ...stored,
    sessionKey: derive('atelier console sessions v1', 32),
  };
}

/** Null where there is no file. */
async function readStoredSecrets(path: string): Promise<StoredSecrets | null> {
  const text = await readFile(path, 'utf8').catch(failure => {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return null;
    throw failure;
  });
  return text === null ? null : storedSecrets.parse(JSON.parse(text));
}

/** Flushed before it is used; an existing file is never replaced, because two commands may start at once. */
async function createSecretsFile(path: string): Promise<StoredSecrets> {
  const fresh = {
    secret: randomBytes(32).toString('base64url'),
    adminToken: `adm_${randomBytes(24).toString('base64url')}`,
  };
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(JSON.stringify(fresh, null, 2));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await link(temporary, path).catch(failure => {
    if (!(failure instanceof Error && 'code' in failure && failure.code === 'EEXIST')) throw failure;
  });
  await rm(temporary);
  return (await readStoredSecrets(path)) ?? fresh;
}
