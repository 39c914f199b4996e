/** Space reserved for a full disk, so that jobs can still be settled and files deleted on it. */
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { type Blobs, BlobsUnavailable } from '../domain/blobs.ts';
import { type Connection, StoreUnavailable } from '../store/db/connection.ts';

/**
 * A file that is deleted when the disk is full. Until it can be written again, new jobs and uploads are rejected, so that
 * the space is left for settling, deleting and pruning.
 */
export interface DiskReserve {
  /** Why new jobs and uploads are rejected; null while they are accepted. */
  whyFull(): string | null;
  /** Deletes the file now, after a write failed on a full disk. */
  release(): void;
  /** Deletes the file shortly before the disk is full, and writes it again when there is enough space. */
  maintain(): Promise<void>;
}

/** Where the file is, and how large. */
export interface DiskReserveOptions {
  readonly path: string;
  /** Size of the file. */
  readonly bytes: number;
  readonly log: Logger;
  /** Free bytes of the disk; a test passes a function of its own. */
  readonly freeBytes?: () => Promise<number>;
}

/** What readiness and refusals say. */
const reason = 'the disk is full';
/** The reserve is written in pieces of this size. */
const chunkBytes = 1024 * 1024;

/** Checks the free space; the first `maintain` writes the file. */
export async function openDiskReserve({
  path,
  bytes,
  log,
  freeBytes,
}: DiskReserveOptions): Promise<DiskReserve> {
  const free = freeBytes ?? (() => freeBytesAt(path));
  let isFull = false;

  function release(): void {
    rmSync(path, { force: true });
    if (!isFull)
      log.error({ releasedBytes: bytes }, 'disk full: new jobs and uploads are rejected until space is free');
    isFull = true;
  }

  async function maintain(): Promise<void> {
    if (statSync(path, { throwIfNoEntry: false })?.size === bytes) {
      if ((await free()) < bytes) release();
      return;
    }
    // As much again must stay free, or the next check would delete it.
    if ((await free()) < 3 * bytes || !(await createReserveFile(path, bytes))) return release();
    if (isFull) log.info('disk space available again: new jobs and uploads are accepted');
    isFull = false;
  }

  if ((await free()) < bytes) release();
  return { whyFull: () => (isFull ? reason : null), release, maintain };
}

/** For installations whose database is on another machine. */
export const noDiskReserve: DiskReserve = {
  whyFull: () => null,
  release: () => {},
  maintain: async () => {},
};

/** A connection for creations: it always reads, and rejects writes while the disk is full. */
export function rejectWritesWhenFull(db: Connection, diskReserve: DiskReserve): Connection {
  const refuse = () => Promise.reject(new StoreUnavailable(reason));
  return {
    ...db,
    write: (text, values) => (diskReserve.whyFull() ? refuse() : db.write(text, values)),
    transaction: work => (diskReserve.whyFull() ? refuse() : db.transaction(work)),
  };
}

/** Blobs that report a full disk to the reserve, and reject new ones while it is released. */
export function rejectBlobsWhenFull(blobs: Blobs, diskReserve: DiskReserve): Blobs {
  return {
    ...blobs,
    async put(path, known) {
      if (diskReserve.whyFull()) throw new BlobsUnavailable(reason);
      try {
        return await blobs.put(path, known);
      } catch (failure) {
        if (isDiskFull(failure)) diskReserve.release();
        throw failure;
      }
    },
  };
}

/** The disk is full, or the quota of the user on it. */
const isDiskFull = (failure: unknown): boolean =>
  failure instanceof Error &&
  failure.cause instanceof Error &&
  'code' in failure.cause &&
  ['ENOSPC', 'EDQUOT'].includes(String(failure.cause.code));

/** The size of the disk of a folder, used space included. */
export async function diskBytesAt(folder: string): Promise<number> {
  const { blocks, bsize } = await statfs(folder);
  return blocks * bsize;
}

/** Bytes that this process may still write there. */
async function freeBytesAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(path));
  return bavail * bsize;
}

/** Random bytes in full: deleting a sparse or compressible file would free no space. False where they do not fit. */
async function createReserveFile(path: string, bytes: number): Promise<boolean> {
  const part = `${path}.part`;
  try {
    const handle = await open(part, 'w', 0o600);
    try {
      const chunk = randomBytes(Math.min(chunkBytes, bytes));
      for (let written = 0; written < bytes; written += chunk.length)
        await handle.writeFile(chunk.subarray(0, bytes - written));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, path);
    return true;
  } catch {
    await rm(part, { force: true });
    return false;
  }
}
