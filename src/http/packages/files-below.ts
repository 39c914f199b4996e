/** Reads the files of a folder, for packages that are made of them. */

import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** The wanted files by path from the folder with slashes, in order; none where there is no such folder. */
export async function filesBelow(
  folder: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(isWanted)
    .toSorted();
  return new Map(
    await Promise.all(paths.map(async path => [path, await readFile(join(folder, path))] as const)),
  );
}
