/** Changes `atelier.yaml` in one step: the new file is written beside it, checked, and put in its place. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, chmod, constants, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Why the file was not changed, as a sentence for the operator. */
export class SettingsNotWritten extends Error {
  override readonly name = 'SettingsNotWritten';
}

/** The file of the settings, whether it exists or not. */
export const settingsPath = (): string => process.env.ATELIER_CONFIG || 'atelier.yaml';

/** Its text; empty where there is no file. */
export const readSettings = async (path: string): Promise<string> =>
  existsSync(path) ? readFile(path, 'utf8') : '';

/** Null where it can be replaced; else the reason, as the system gives it. */
export async function whyNotReplaceable(path: string): Promise<string | null> {
  try {
    await access(dirname(resolve(path)), constants.W_OK);
    if (existsSync(path)) await access(path, constants.W_OK);
    return null;
  } catch (failure) {
    return failure instanceof Error ? failure.message : String(failure);
  }
}

/** Writes the new text beside the file, under a name of its own; `cleanup` removes it. */
export async function writeCandidate(
  path: string,
  text: string,
  cleanup: AsyncDisposableStack,
): Promise<string> {
  const candidate = join(dirname(resolve(path)), `.atelier-${randomBytes(6).toString('hex')}.yaml`);
  await writeFile(candidate, text, { flag: 'wx', mode: 0o600 }).catch((failure: Error) => {
    throw new SettingsNotWritten(`${path} cannot be changed here (${failure.message}). Add:\n\n${text}`);
  });
  cleanup.defer(() => rm(candidate, { force: true }));
  return candidate;
}

/** Puts the candidate in the place of the file, with the file's permissions. */
export async function replaceSettings(path: string, candidate: string): Promise<void> {
  const mode = existsSync(path) ? (await stat(path)).mode & 0o777 : 0o644;
  await chmod(candidate, mode);
  await rename(candidate, path).catch((failure: Error) => {
    throw new SettingsNotWritten(`${path} could not be replaced: ${failure.message}`);
  });
}

/**
 * Writes the secret of an account to a file of its own below the data folder, readable only for its owner, and returns
 * the reference to it. `cleanup` removes it.
 */
export async function storeAccountSecret(
  {
    dataDir,
    account,
    secret,
  }: { readonly dataDir: string; readonly account: string; readonly secret: string },
  cleanup: AsyncDisposableStack,
): Promise<string> {
  const folder = resolve(dataDir, 'keys');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, account);
  await writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx' }).catch((failure: Error) => {
    throw new SettingsNotWritten(
      `${path} could not be written (${failure.message}): remove it, or name a file with the key`,
    );
  });
  cleanup.defer(() => rm(path, { force: true }));
  return `file:${path}`;
}
