import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobsUnavailable } from '../domain/blobs.ts';
import { sniffBytes } from './sniff.ts';

/** A stream that was written to a local file, flushed by whoever keeps it. */
export interface SpooledFile {
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** The first bytes, for recognising the type. */
  readonly head: Buffer;
  /** Whether a NUL byte stands anywhere: no text but UTF-16 holds one. */
  readonly holdsNul: boolean;
}

/** Thrown at the first byte over the bound. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/** Thrown when the local disk does not take the bytes. */
export class SpoolUnavailable extends BlobsUnavailable {
  override readonly name = 'SpoolUnavailable';
}

/** What is written at once: a call to the system costs as much for a small piece. */
const writeBufferBytes = 256 * 1024;
/** What the system holds back at most: the flush at the end of a large file would hold up those of the database. */
const maxUnflushedBytes = 8 * 1024 * 1024;

export interface SpoolFileOptions {
  readonly directory: string;
  readonly maxBytes: number;
  /** Told of each piece before it is written; throws when there is no room for it. */
  readonly reserveBytes?: (bytes: number) => void;
}

/** Writes a stream to a new file in `directory` within a bound; on any failure the file is gone. */
export async function spoolToFile(
  content: AsyncIterable<Uint8Array>,
  { directory, maxBytes, reserveBytes }: SpoolFileOptions,
): Promise<SpooledFile> {
  const path = join(directory, randomUUID());
  const handle = await open(path, 'wx').catch(throwUnavailable);
  const hash = createHash('sha256');
  const page = Buffer.allocUnsafeSlow(writeBufferBytes);
  let head: Buffer | null = null;
  let holdsNul = false;
  let filled = 0;
  let unflushed = 0;
  let bytes = 0;

  async function writePage(): Promise<void> {
    holdsNul ||= page.subarray(0, filled).includes(0);
    head ??= Buffer.from(page.subarray(0, Math.min(filled, sniffBytes)));
    await handle.writeFile(page.subarray(0, filled)).catch(throwUnavailable);
    unflushed += filled;
    filled = 0;
    if (unflushed < maxUnflushedBytes) return;
    await handle.datasync().catch(throwUnavailable);
    unflushed = 0;
  }

  try {
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new TooManyBytes(`more than ${maxBytes} bytes`);
      reserveBytes?.(chunk.length);
      hash.update(chunk);
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + writeBufferBytes - filled);
        page.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled === writeBufferBytes) await writePage();
      }
    }
    await writePage();
    await handle.close().catch(throwUnavailable);
    return { path, bytes, sha256: hash.digest('hex'), head: head ?? Buffer.alloc(0), holdsNul };
  } catch (failure) {
    await handle.close().catch(() => {});
    await rm(path, { force: true });
    throw failure;
  }
}

/** Work on the local disk alone: when it fails, the disk did not take the bytes. */
export const orSpoolUnavailable = <T>(work: Promise<T>): Promise<T> => work.catch(throwUnavailable);

function throwUnavailable(cause: unknown): never {
  throw new SpoolUnavailable('the local disk did not take the bytes', { cause });
}
