/** Copies blobs between local folders, for backups. */
import { chmod, constants, copyFile, link, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { blobPath, flush } from './disk.ts';

/** Numbers of blobs. */
export interface CopyResult {
  readonly blobs: number;
  /** Removed since their rows were read. */
  readonly missing: number;
}

/**
 * Copies blobs from one folder to another, flushed. Their content never changes, so on one file system a hard link is
 * enough.
 */
export async function copyBlobs(from: string, to: string, keys: Iterable<string>): Promise<CopyResult> {
  const folders = new Set<string>([to]);
  let blobs = 0;
  let missing = 0;
  await mkdir(to, { recursive: true });
  for (const key of keys) {
    const target = blobPath(to, key);
    const folder = dirname(target);
    if (!folders.has(folder)) await mkdir(folder, { recursive: true });
    folders.add(folder).add(dirname(folder));
    if (await copyBlob(blobPath(from, key), target)) blobs++;
    else missing++;
  }
  for (const folder of folders) await flush(folder);
  return { blobs, missing };
}

/** False when there is no such blob. */
async function copyBlob(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (failure) {
    if (isMissing(failure)) return false;
  }
  // Another file system, or one without links.
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    // `copyFile` also copies the permissions of its source.
    await chmod(to, 0o600);
    await flush(to);
    return true;
  } catch (failure) {
    if (isMissing(failure)) return false;
    throw failure;
  }
}

/** Whether a blob was deleted after it was listed; a copy does without it. */
const isMissing = (failure: unknown): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === 'ENOENT';
