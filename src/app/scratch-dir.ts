/** The scratch folder of a process, for bytes in progress; folders of dead processes are removed. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '../store/db/sqlite.ts';

/** A folder that no other process uses, and that is removed with its process. */
export interface ScratchDir {
  /** Makes a folder inside and gives its path. */
  makeDir(name: string): Promise<string>;
  remove(): Promise<void>;
}

/** Creates and locks a folder under `parent`, and removes those of processes that ended without cleanup. */
export async function openScratchDir(parent: string): Promise<ScratchDir> {
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) await removeIfAbandoned(join(parent, name));
  const path = join(parent, randomBytes(8).toString('hex'));
  await mkdir(path);
  const lock = lockFolder(join(path, 'lock'));
  if (!lock) throw new Error(`expected to lock the new folder ${path}`);
  return {
    async makeDir(name) {
      const folder = join(path, name);
      await mkdir(folder);
      return folder;
    },
    async remove() {
      lock.release();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** How long making and locking a folder may take. */
const creationGraceMs = 10_000;

/** A folder whose lock is free belonged to a process that died. Another start may remove it at the same time. */
async function removeIfAbandoned(folder: string): Promise<void> {
  try {
    // Another process may have just created it, and locks it next.
    const { birthtimeMs } = await stat(folder);
    if (Date.now() - birthtimeMs < creationGraceMs) return;
    const lock = lockFolder(join(folder, 'lock'));
    if (!lock) return;
    lock.release();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (failure) {
    if (existsSync(folder)) throw failure;
  }
}
