/** Changes `atelier.yaml` in one step: the new file is written beside it, checked, and put in its place. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CommandError } from './command-error.ts';

/** The file of the settings, whether it exists or not. */
export const settingsPath = (): string => process.env.ATELIER_CONFIG ?? 'atelier.yaml';

/** Its text; empty where there is no file. */
export const readSettings = async (): Promise<string> =>
  existsSync(settingsPath()) ? readFile(settingsPath(), 'utf8') : '';

/** Writes the new text beside the file, under a name of its own; `cleanup` removes it. */
export async function writeCandidate(text: string, cleanup: AsyncDisposableStack): Promise<string> {
  const path = join(dirname(resolve(settingsPath())), `.atelier-${randomBytes(6).toString('hex')}.yaml`);
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((failure: Error) => {
    throw new CommandError(`${settingsPath()} cannot be changed here (${failure.message}). Add:\n\n${text}`);
  });
  cleanup.defer(() => rm(path, { force: true }));
  return path;
}

/** Puts the candidate in the place of the file, with the file's permissions. */
export async function replaceSettings(candidate: string): Promise<void> {
  const path = settingsPath();
  const mode = existsSync(path) ? (await stat(path)).mode & 0o777 : 0o644;
  await chmod(candidate, mode);
  await rename(candidate, path).catch((failure: Error) => {
    throw new CommandError(`${path} could not be replaced: ${failure.message}`);
  });
}
