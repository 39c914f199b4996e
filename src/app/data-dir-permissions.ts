import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** What other accounts of this machine could read or enter. */
export interface ExposedPath {
  readonly path: string;
  /** Of permissions, without the type of the file. */
  readonly mode: number;
}

/** The data folder, its folders, and the files in it: what lies deeper is closed by its folder. */
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
const groupAndOtherBits = 0o077;

/** What of a data folder is open to other accounts. Windows has no such permissions. */
export async function findExposedPaths(dataDir: string): Promise<readonly ExposedPath[]> {
  if (process.platform === 'win32') return [];
  const looked = await Promise.all(
    privatePaths.map(async name => {
      const path = join(dataDir, name);
      const found = await stat(path).catch(() => null);
      return found && (found.mode & groupAndOtherBits) !== 0 ? [{ path, mode: found.mode & 0o777 }] : [];
    }),
  );
  return looked.flat();
}

/** Closes to other accounts what an older version, or another program, left open; the log says what that was. */
export async function tightenPermissions(dataDir: string, log: Logger): Promise<void> {
  for (const { path, mode } of await findExposedPaths(dataDir)) {
    const facts = { path, mode: formatMode(mode) };
    try {
      await chmod(path, mode & ~groupAndOtherBits);
      log.info(facts, 'permissions tightened: other accounts of this machine could reach it');
    } catch (failure) {
      // A volume whose root belongs to somebody else: the platform decides who reaches it.
      log.warn({ ...facts, err: failure }, 'permissions not tightened: this account may not change them');
    }
  }
}

/** One sentence about it; null where nothing is open. */
export function exposedPathsWarning(exposed: readonly ExposedPath[], dataDir: string): string | null {
  if (exposed.length === 0) return null;
  const named = exposed.map(({ path, mode }) => `${path} (${formatMode(mode)})`).join(', ');
  return `open to other accounts of this machine: ${named}; start the gateway once, or: chmod -R go= ${dataDir}`;
}

const formatMode = (mode: number): string => mode.toString(8).padStart(4, '0');
