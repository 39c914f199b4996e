/** Blobs in a local folder: written beside, renamed to `ab/cd/abcd…`, then flushed with their folders. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  stat,
  utimes,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobInfo, type Blobs, BlobsUnavailable } from '../domain/blobs.ts';

/** 160 bits in hexadecimal; nothing else becomes a path. */
const keyPattern = /^[0-9a-f]{40}$/;
/** Read at a time, for a client that may be slow. */
const chunkBytes = 256 * 1024;

/** Creates the folder where it is missing, and removes copies that a dead process left. */
export async function openDiskBlobs(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming');
  await mkdir(incoming, { recursive: true });
  await removeStaleCopies(incoming, Date.now() - maxCopyMs);
  // Folders of blobs that this process made or found, and whose entry it flushed.
  const durable = new Set<string>();

  /** Distinguishes a missing blob from a folder that is not mounted. */
  async function nullWhenMissing(failure: unknown): Promise<null> {
    if (!isCode(failure, 'ENOENT')) return throwUnavailable(failure);
    await stat(incoming).catch(throwUnavailable);
    return null;
  }

  return {
    async put(path, known) {
      const key = randomBytes(20).toString('hex');
      try {
        const { bytes, sha256 } = known ?? (await readInfo(path));
        await moveDurably(path, blobPath(folder, key), { halfway: join(incoming, key), durable });
        return { key, bytes, sha256 };
      } catch (cause) {
        return throwUnavailable(cause);
      }
    },
    async open(key, range, wholeBytes) {
      const handle = await open(blobPath(folder, key), 'r').catch(nullWhenMissing);
      if (handle && wholeBytes !== undefined && !(await hasSize(handle, wholeBytes))) return null;
      return handle && createReadStream('', { fd: handle, ...range, highWaterMark: chunkBytes });
    },
    localPath: key => blobPath(folder, key),
    async remove(key) {
      await rm(blobPath(folder, key)).catch(nullWhenMissing);
    },
    async *list(writtenBefore) {
      const entries = await opendir(folder, { recursive: true }).catch(throwUnavailable);
      for await (const entry of entries) {
        if (!entry.isFile() || !keyPattern.test(entry.name) || entry.parentPath === incoming) continue;
        const found = await stat(join(entry.parentPath, entry.name)).catch(nullWhenMissing);
        if (found && found.mtimeMs < writtenBefore) yield entry.name;
      }
    },
    removeUnfinished: begunBefore => removeStaleCopies(incoming, begunBefore).catch(throwUnavailable),
    async check() {
      const path = join(incoming, `check-${randomBytes(8).toString('hex')}`);
      try {
        const handle = await open(path, 'wx');
        await handle.sync().finally(() => handle.close());
      } catch (cause) {
        throwUnavailable(cause);
      } finally {
        await rm(path, { force: true }).catch(() => {});
      }
    },
  };
}

/** Where the blob of that key is, whether it exists or not. */
export function blobPath(folder: string, key: string): string {
  if (!keyPattern.test(key)) throw new Error(`expected a blob key, got ${JSON.stringify(key)}`);
  return join(folder, key.slice(0, 2), key.slice(2, 4), key);
}

/** Whether blobs were ever stored in that folder. */
export async function containsBlobs(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(failure => {
    if (isCode(failure, 'ENOENT')) return [];
    throw failure;
  });
  return names.some(name => /^[0-9a-f]{2}$/.test(name));
}

/** Closes the file where its size differs. */
async function hasSize(handle: FileHandle, bytes: number): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === bytes) return true;
  await handle.close();
  return false;
}

/** Longer than any copy takes: older ones were left by a killed process. */
const maxCopyMs = 60 * 60 * 1000;

/** Returns how many copies from before that moment (epoch ms) were removed. */
async function removeStaleCopies(incoming: string, begunBefore: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(() => null);
    if (!found || found.mtimeMs >= begunBefore) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

/** Size and SHA-256 of a file, in one pass. */
async function readInfo(path: string): Promise<Omit<BlobInfo, 'key'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** What a move needs beside its two paths. */
interface MoveOptions {
  /** Where it is copied first when it comes from another file system. */
  readonly halfway: string;
  /** Folders whose entry was flushed. */
  readonly durable: Set<string>;
}

/**
 * Resolves once the bytes, their name and every folder on the way are flushed. Nothing names the file before that, so
 * its flushes may follow the rename: they run at once, and the disk makes one of them.
 */
async function moveDurably(from: string, to: string, { halfway, durable }: MoveOptions): Promise<void> {
  const folder = dirname(to);
  // Never the blob folder itself: if it is missing, its disk is not mounted, and must not be replaced by another.
  const levels = [dirname(folder), folder].filter(level => !durable.has(level));
  for (const level of levels) await createFolder(level);
  // Orphans are found by their age, which starts now.
  const now = new Date();
  await utimes(from, now, now);
  await move(from, to, halfway);
  // One that another call has just made is flushed here, too: that call may still wait for its own flush.
  await Promise.all([to, folder, ...levels.map(level => dirname(level))].map(flush));
  for (const level of levels) durable.add(level);
}

/** A rename; a copy beside and a rename where the file is on another file system. */
async function move(from: string, to: string, halfway: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (failure) {
    if (!isCode(failure, 'EXDEV')) throw failure;
    try {
      await copyFile(from, halfway);
      await rename(halfway, to);
      await rm(from);
    } finally {
      await rm(halfway, { force: true });
    }
  }
}

async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (failure) {
    if (!isCode(failure, 'EEXIST')) throw failure;
  }
}

/** Flushes a file or a folder to the disk. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Whether the operating system failed for that reason, such as `ENOENT`. */
const isCode = (failure: unknown, code: string): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === code;

function throwUnavailable(cause: unknown): never {
  throw new BlobsUnavailable(`the blob folder: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}
