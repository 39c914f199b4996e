import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, opendir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobInfo, type Blobs, BlobsUnavailable } from '../domain/blobs.ts';

const keyPattern = /^[0-9a-f]{40}$/;
const chunkBytes = 256 * 1024;

/** Blobs in a folder: flushed, then renamed to `ab/cd/abcd…`, so that content is never half there. */
export async function openDiskBlobs(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming');
  await mkdir(incoming, { recursive: true });
  await removeLeftCopies(incoming);

  const pathOf = (key: string) => {
    if (!keyPattern.test(key)) throw new Error(`expected a blob key, got ${JSON.stringify(key)}`);
    return join(folder, key.slice(0, 2), key.slice(2, 4), key);
  };

  return {
    async keep(path) {
      const key = randomBytes(20).toString('hex');
      try {
        const info = { key, ...(await hashAndFlush(path)) };
        await move(path, pathOf(key), join(incoming, key));
        return info;
      } catch (cause) {
        return asUnavailable(cause);
      }
    },
    async open(key, range) {
      const handle = await open(pathOf(key), 'r').catch(nullWhenMissing);
      return handle && createReadStream('', { fd: handle, ...range, highWaterMark: chunkBytes });
    },
    async remove(key) {
      await rm(pathOf(key), { force: true }).catch(asUnavailable);
    },
    async *list(writtenBefore) {
      const entries = await opendir(folder, { recursive: true });
      for await (const entry of entries) {
        if (!entry.isFile() || !keyPattern.test(entry.name) || entry.parentPath === incoming) continue;
        const found = await stat(join(entry.parentPath, entry.name)).catch(nullWhenMissing);
        if (found && found.mtimeMs < writtenBefore) yield entry.name;
      }
    },
    async check() {
      const path = join(incoming, `check-${randomBytes(8).toString('hex')}`);
      try {
        const handle = await open(path, 'wx');
        await handle.sync().finally(() => handle.close());
      } catch (cause) {
        asUnavailable(cause);
      } finally {
        await rm(path, { force: true }).catch(() => {});
      }
    },
  };
}

/** No copy takes this long: what is older was left by a process that was killed. */
const longestCopyMs = 60 * 60 * 1000;

async function removeLeftCopies(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(nullWhenMissing);
    if (found && found.mtimeMs < Date.now() - longestCopyMs) await rm(path, { force: true });
  }
}

async function hashAndFlush(path: string): Promise<Omit<BlobInfo, 'key'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  await flush(path);
  return { bytes, sha256: hash.digest('hex') };
}

/** A rename lasts once the folder that names the file is flushed too. */
async function move(from: string, to: string, halfway: string): Promise<void> {
  const folder = dirname(to);
  await mkdir(folder, { recursive: true });
  // Its age is counted from now: orphans are found by it.
  const now = new Date();
  await utimes(from, now, now);
  try {
    await rename(from, to);
  } catch (failure) {
    if (!isCode(failure, 'EXDEV')) throw failure;
    // The file lies on another file system: copied, flushed, renamed.
    try {
      await copyFile(from, halfway);
      await flush(halfway);
      await rename(halfway, to);
      await rm(from);
    } finally {
      await rm(halfway, { force: true });
    }
  }
  await flush(folder);
  await flush(dirname(folder));
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

const isCode = (failure: unknown, code: string): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === code;

function nullWhenMissing(failure: unknown): null {
  return isCode(failure, 'ENOENT') ? null : asUnavailable(failure);
}

function asUnavailable(cause: unknown): never {
  throw new BlobsUnavailable(`the blob folder: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}
