/** Keeps the data folder private: finds and closes what other users of the machine can access. */
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** A file or folder that other users of this machine can read or enter. */
export interface ExposedPath {
  readonly path: string;
  /** The permission bits. */
  readonly mode: number;
}

/** The data folder, its folders and its files; everything deeper is protected by its folder. */
const privatePaths = [
  '.',
  'blobs',
  'run',
  'atelier.db',
  'atelier.db-wal',
  'atelier.db-shm',
  'secrets.json',
  'first-key',
  'serve.lock',
  'ballast',
];
/** Permissions of everyone but the owner. */
const groupAndOtherBits = 0o077;

/** Empty on Windows, which has no such permissions. */
export async function findExposedPaths(dataDir: string): Promise<readonly ExposedPath[]> {
  if (process.platform === 'win32') return [];
  const exposed = await Promise.all(
    privatePaths.map(async name => {
      const path = join(dataDir, name);
      const found = await stat(path).catch(() => null);
      return found && (found.mode & groupAndOtherBits) !== 0 ? [{ path, mode: found.mode & 0o777 }] : [];
    }),
  );
  return exposed.flat();
}

/** Removes the permissions that an older version or another program left, and logs each path. */
export async function tightenPermissions(dataDir: string, log: Logger): Promise<void> {
  for (const { path, mode } of await findExposedPaths(dataDir)) {
    const facts = { path, mode: formatMode(mode) };
    try {
      await chmod(path, mode & ~groupAndOtherBits);
      log.info(facts, 'permissions tightened: it was accessible to other users of this machine');
    } catch (failure) {
      // A volume whose root belongs to another user: the platform decides who can access it.
      log.warn({ ...facts, err: failure }, 'permissions not tightened: operation not permitted');
    }
  }
}

/** One sentence with the remedy; null where nothing is exposed. */
export function exposedPathsWarning(exposed: readonly ExposedPath[], dataDir: string): string | null {
  if (exposed.length === 0) return null;
  const named = exposed.map(({ path, mode }) => `${path} (${formatMode(mode)})`).join(', ');
  return `accessible to other users of this machine: ${named}; start the gateway once, or: chmod -R go= ${dataDir}`;
}

/** As `ls` and `chmod` write it. */
const formatMode = (mode: number): string => mode.toString(8).padStart(4, '0');
