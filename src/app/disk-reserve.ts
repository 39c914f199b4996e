import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { type Blobs, BlobsUnavailable } from '../domain/blobs.ts';
import { type Connection, StoreUnavailable } from '../store/db/connection.ts';

/**
 * Room kept for a full disk. While it is given up nothing new is taken in, so that what is there can still
 * be ended, deleted and pruned.
 */
export interface DiskReserve {
  /** Null while there is room, else why nothing new is taken in. */
  whyFull(): string | null;
  /** Gives the room up now; told by whoever met the full disk. */
  release(): void;
  /** Gives the room up shortly before the disk is full, and takes it again when there is plenty. */
  maintain(): Promise<void>;
}

export interface DiskReserveOptions {
  readonly path: string;
  readonly bytes: number;
  readonly log: Logger;
  /** Of the disk on which it lies; a test tells another. */
  readonly freeBytes?: () => Promise<number>;
}

const reason = 'the disk is full';
const chunkBytes = 1024 * 1024;

/** Looks whether there is room at all; the first tending takes it. */
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
    if (!isFull) log.error({ gave: bytes }, `${reason}: nothing new is taken in until there is room`);
    isFull = true;
  }

  async function maintain(): Promise<void> {
    if (statSync(path, { throwIfNoEntry: false })?.size === bytes) {
      if ((await free()) < bytes) release();
      return;
    }
    // As much again must stay free, or the next look would give it up.
    if ((await free()) < 3 * bytes || !(await createReserveFile(path, bytes))) return release();
    if (isFull) log.info('there is room on the disk again');
    isFull = false;
  }

  if ((await free()) < bytes) release();
  return { whyFull: () => (isFull ? reason : null), release, maintain };
}

/** For an installation that needs none. */
export const noDiskReserve: DiskReserve = {
  whyFull: () => null,
  release: () => {},
  maintain: async () => {},
};

/** A connection for whoever adds: it reads always, and writes while there is room. */
export function rejectWritesWhenFull(db: Connection, ballast: DiskReserve): Connection {
  const refuse = () => Promise.reject(new StoreUnavailable(reason));
  return {
    ...db,
    write: (text, values) => (ballast.whyFull() ? refuse() : db.write(text, values)),
    transaction: work => (ballast.whyFull() ? refuse() : db.transaction(work)),
  };
}

/** Blobs that tell the ballast of a full disk, and keep nothing more while it is given up. */
export function rejectBlobsWhenFull(blobs: Blobs, ballast: DiskReserve): Blobs {
  return {
    ...blobs,
    async put(path, known) {
      if (ballast.whyFull()) throw new BlobsUnavailable(reason);
      try {
        return await blobs.put(path, known);
      } catch (failure) {
        if (isDiskFull(failure)) ballast.release();
        throw failure;
      }
    },
  };
}

const isDiskFull = (failure: unknown): boolean =>
  failure instanceof Error &&
  failure.cause instanceof Error &&
  'code' in failure.cause &&
  ['ENOSPC', 'EDQUOT'].includes(String(failure.cause.code));

/** Of the disk on which a folder lies, whatever is in use of it. */
export async function diskBytesAt(folder: string): Promise<number> {
  const { blocks, bsize } = await statfs(folder);
  return blocks * bsize;
}

async function freeBytesAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(path));
  return bavail * bsize;
}

/** Written in full: a file with holes, or one that compresses to nothing, would give nothing back. False: no room. */
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
