/** Spools an incoming stream to a local file: bounded, hashed and inspected on the way. */
import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobsUnavailable } from '../domain/blobs.ts';
import { sniffBytes } from './sniff.ts';

/** A stream written to a local file; not flushed, which is left to the blob store. */
export interface SpooledFile {
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** The first `sniffBytes` bytes. */
  readonly head: Buffer;
  /** Whether there is a NUL byte anywhere: only UTF-16 text contains one. */
  readonly containsNul: boolean;
}

/** Thrown at the first byte over the limit. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/** Thrown when a write to the local disk fails. */
export class SpoolUnavailable extends BlobsUnavailable {
  override readonly name = 'SpoolUnavailable';
}

/** Chunks are collected to this size, because a system call costs the same for a small one. */
const writeBufferBytes = 256 * 1024;
/** Maximum of unflushed bytes: one large flush at the end would delay the flushes of the database. */
const maxUnflushedBytes = 8 * 1024 * 1024;

export interface SpoolFileOptions {
  readonly directory: string;
  readonly maxBytes: number;
  /** Called with the size of each chunk before it is written; throws when the spool is full. */
  readonly reserveBytes?: (bytes: number) => void;
}

/** Writes a stream to a new file in `directory`; on any failure the file is removed. */
export async function spoolToFile(
  content: AsyncIterable<Uint8Array>,
  { directory, maxBytes, reserveBytes }: SpoolFileOptions,
): Promise<SpooledFile> {
  const path = join(directory, randomUUID());
  const handle = await open(path, 'wx').catch(throwUnavailable);
  const hash = createHash('sha256');
  const page = Buffer.allocUnsafeSlow(writeBufferBytes);
  let head: Buffer | null = null;
  let containsNul = false;
  let filled = 0;
  let unflushed = 0;
  let bytes = 0;

  async function writePage(): Promise<void> {
    containsNul ||= page.subarray(0, filled).includes(0);
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
    return { path, bytes, sha256: hash.digest('hex'), head: head ?? Buffer.alloc(0), containsNul };
  } catch (failure) {
    await handle.close().catch(() => {});
    await rm(path, { force: true });
    throw failure;
  }
}

/** For work on the local disk alone: every failure is `SpoolUnavailable`. */
export const orSpoolUnavailable = <T>(work: Promise<T>): Promise<T> => work.catch(throwUnavailable);

function throwUnavailable(cause: unknown): never {
  throw new SpoolUnavailable('write to local disk failed', { cause });
}
