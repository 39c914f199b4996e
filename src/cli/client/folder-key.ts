/** The key that commands use beside a gateway, in a file of its data folder. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CommandError } from '../command-error.ts';
import { isRecord, parseJsonOrNull } from './input-fields.ts';
import type { Profile } from './profiles.ts';

/** Readable only for the owner of the data folder. */
const fileName = 'command-key.json';

/** Variables that decide the folder and the address of a gateway. */
type Environment = Readonly<Record<string, string | undefined>>;

/** The data folder of the settings, as the gateway finds it. */
export const dataFolderOf = ({ ATELIER_DATA_DIR: dir }: Environment): string =>
  resolve(dir === undefined || dir === '' ? 'data' : dir);

/** Whether a gateway was started with this folder. Reads no settings, so that commands start fast. */
export const hasGatewayHere = (env: Environment): boolean =>
  existsSync(join(dataFolderOf(env), env.ATELIER_DATABASE_URL ? 'secrets.json' : 'atelier.db'));

/** Null where there is none yet. */
export async function readFolderKey(folder: string): Promise<Profile | null> {
  const path = join(folder, fileName);
  const written = await readFile(path, 'utf8').catch(failure => {
    if (failure instanceof Error && 'code' in failure && ['ENOENT', 'EACCES'].includes(String(failure.code)))
      return null;
    throw new CommandError(`${path} cannot be read: ${failure.message}.`);
  });
  const kept = written === null ? null : parseJsonOrNull(written);
  if (!isRecord(kept) || typeof kept.url !== 'string' || typeof kept.key !== 'string') return null;
  return { url: kept.url, key: kept.key };
}

/** Replaces the file atomically. */
export async function writeFolderKey(folder: string, { url, key }: Profile): Promise<void> {
  const path = join(folder, fileName);
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, `${JSON.stringify({ url, key }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
