import { Readable } from 'node:stream';
import { BlobsUnavailable } from '../domain/blobs.ts';

/** An answer with bytes, of which the first `bytes` are wanted. */
export interface SizedBody {
  readonly body: Readable;
  readonly bytes: number;
}

const chunkBytes = 256 * 1024;
/** Answers in a row that end early without a byte, before the stream is given up. */
const maxEmptyResumes = 3;

/**
 * A stream of exactly what is wanted: where an answer ends early, `askFrom` is asked for the rest. Fails with
 * BlobsUnavailable when that brings nothing either.
 */
export function openResumableStream(
  first: SizedBody,
  askFrom: (offset: number) => Promise<Readable | null>,
): Readable {
  let body = first.body;
  let chunks = body[Symbol.asyncIterator]();
  let at = 0;
  let fruitless = 0;

  /** Null at the end. */
  async function next(): Promise<Buffer | null> {
    while (at < first.bytes) {
      const chunk = await readChunk(chunks);
      if (chunk) {
        // A server may send more than it was asked for.
        const wanted = chunk.subarray(0, first.bytes - at);
        at += wanted.length;
        if (wanted.length > 0) fruitless = 0;
        return wanted;
      }
      await goOn();
    }
    // Read to its end, a connection serves again.
    if (await readChunk(chunks)) body.destroy();
    return null;
  }

  async function goOn(): Promise<void> {
    body.destroy();
    if (stream.destroyed) throw new BlobsUnavailable('nobody reads any more');
    const rest = ++fruitless > maxEmptyResumes ? null : await askFrom(at);
    if (!rest) throw new BlobsUnavailable(`the bytes ended at ${at} of ${first.bytes}`);
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

/** Null where the answer ended or was cut. */
async function readChunk(chunks: AsyncIterator<Buffer>): Promise<Buffer | null> {
  try {
    const { done, value } = await chunks.next();
    return done ? null : value;
  } catch {
    return null;
  }
}
