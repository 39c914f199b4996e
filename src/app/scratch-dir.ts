import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '../store/db/sqlite.ts';

/** A folder of this process alone, for bytes on their way; it goes with the process. */
export interface ScratchDir {
  /** Makes a folder inside and gives its path. */
  makeDir(name: string): Promise<string>;
  remove(): Promise<void>;
}

/** Makes a folder of our own under `parent`, and removes those whose processes are gone. */
export async function openScratchDir(parent: string): Promise<ScratchDir> {
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) await removeIfAbandoned(join(parent, name));
  const own = join(parent, randomBytes(8).toString('hex'));
  await mkdir(own);
  const lock = lockFolder(join(own, 'lock'));
  if (!lock) throw new Error(`expected to lock a folder of our own, ${own}`);
  return {
    async makeDir(name) {
      const path = join(own, name);
      await mkdir(path);
      return path;
    },
    async remove() {
      lock.release();
      await rm(own, { recursive: true, force: true });
    },
  };
}

/** How long making and locking a folder may take. */
const creationGraceMs = 10_000;

/** A lock that can be had belonged to a process that died. Another start may remove the same folder meanwhile. */
async function removeIfAbandoned(folder: string): Promise<void> {
  try {
    // Somebody is just making it, and locks it in a moment.
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
