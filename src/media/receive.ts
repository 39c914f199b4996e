import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sniffBytes } from './sniff.ts';

/** A stream that was written to a local file, flushed by whoever keeps it. */
export interface Received {
  readonly path: string;
  readonly bytes: number;
  /** The first bytes, for recognising the type. */
  readonly head: Buffer;
}

/** Thrown at the first byte over the bound. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/** Thrown when the local disk does not take the bytes. */
export class SpoolUnavailable extends Error {
  override readonly name = 'SpoolUnavailable';
}

/** Writes a stream to a new file in `directory` within a bound; on any failure the file is gone. */
export async function receive(
  content: AsyncIterable<Uint8Array>,
  { directory, maxBytes }: { readonly directory: string; readonly maxBytes: number },
): Promise<Received> {
  const path = join(directory, randomUUID());
  const handle = await open(path, 'wx').catch(unavailable);
  const head: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of content) {
      if (bytes < sniffBytes) head.push(chunk.subarray(0, sniffBytes - bytes));
      bytes += chunk.length;
      if (bytes > maxBytes) throw new TooManyBytes(`more than ${maxBytes} bytes`);
      await handle.writeFile(chunk).catch(unavailable);
    }
    await handle.close().catch(unavailable);
    return { path, bytes, head: Buffer.concat(head) };
  } catch (failure) {
    await handle.close().catch(() => {});
    await rm(path, { force: true });
    throw failure;
  }
}

function unavailable(cause: unknown): never {
  throw new SpoolUnavailable('the local disk did not take the bytes', { cause });
}
