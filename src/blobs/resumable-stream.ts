/** A stream of a known number of bytes that requests the rest where a response ends early. */
import { Readable } from 'node:stream';
import { BlobsUnavailable } from '../domain/blobs.ts';

/** The body of a response, of which the first `bytes` are wanted. */
export interface SizedBody {
  readonly body: Readable;
  readonly bytes: number;
}

const chunkBytes = 256 * 1024;
/** Consecutive responses without a byte before the stream fails. */
const maxEmptyResumes = 3;

/**
 * Streams exactly the wanted bytes: where a response ends early, `requestFrom` is called with the offset of the next
 * byte. Fails with `BlobsUnavailable` when that returns null or nothing but empty responses.
 */
export function openResumableStream(
  first: SizedBody,
  requestFrom: (offset: number) => Promise<Readable | null>,
): Readable {
  let body = first.body;
  let chunks = body[Symbol.asyncIterator]();
  let at = 0;
  let emptyResumes = 0;

  /** Null at the end. */
  async function next(): Promise<Buffer | null> {
    while (at < first.bytes) {
      const chunk = await readChunk(chunks);
      if (chunk) {
        // A server may send more than was requested.
        const wanted = chunk.subarray(0, first.bytes - at);
        at += wanted.length;
        if (wanted.length > 0) emptyResumes = 0;
        return wanted;
      }
      await resume();
    }
    // A connection can be reused only when its response was read to the end.
    if (await readChunk(chunks)) body.destroy();
    return null;
  }

  async function resume(): Promise<void> {
    body.destroy();
    if (stream.destroyed) throw new BlobsUnavailable('stream was closed by the reader');
    const rest = ++emptyResumes > maxEmptyResumes ? null : await requestFrom(at);
    if (!rest) throw new BlobsUnavailable(`response ended at byte ${at} of ${first.bytes}`);
    body = rest;
    chunks = body[Symbol.asyncIterator]();
  }

  const stream = new Readable({
    highWaterMark: chunkBytes,
    read() {
      next().then(
        chunk => stream.push(chunk),
        failure => stream.destroy(failure),
      );
    },
    destroy(failure, done) {
      body.destroy();
      done(failure);
    },
  });
  return stream;
}

/** Null where the response ended or failed. */
async function readChunk(chunks: AsyncIterator<Buffer>): Promise<Buffer | null> {
  try {
    const { done, value } = await chunks.next();
    return done ? null : value;
  } catch {
    return null;
  }
}
