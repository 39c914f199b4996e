/** Streams whose pieces free their memory as soon as they are used. */
import type { Readable } from 'node:stream';

/**
 * Frees the memory of a piece now instead of at a later garbage collection; afterwards the piece is empty. Pieces that
 * share their memory with others stay as they are.
 */
export function freeBuffer(piece: Uint8Array): void {
  const { buffer } = piece;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === piece.byteLength) buffer.transfer(0);
}

/** All bytes of a short stream, without an iterator. Rejects where the stream is cut before its end. */
export function wholeOf(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    // The stream is closed after its end, too.
    const close = () => void (stream.readableEnded || reject(cutShort()));
    if (stream.destroyed) close();
    stream
      .on('data', (piece: Buffer) => void pieces.push(piece))
      .on('end', () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)))
      .on('error', reject)
      .on('close', close);
  });
}

const cutShort = (): Error =>
  Object.assign(new Error('connection closed before the end of the body'), { code: 'ECONNRESET' });

/** The pieces of a stream as they arrived; the iterator of `Readable` would copy waiting pieces into one. */
export async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  const queue: ChunkQueue = { chunks: [], end: null, wake: () => {} };
  const end = (failure?: unknown) => {
    queue.end ??= { failure };
    queue.wake();
  };
  const cut = () => end(cutShort());
  const take = (piece: Buffer) => {
    stream.pause();
    queue.chunks.push(piece);
    queue.wake();
  };
  if (stream.destroyed && !stream.readableEnded) cut();
  const finish = () => end();
  stream.on('error', end).on('end', finish).on('close', cut).on('data', take);
  try {
    for (;;) {
      const piece = queue.chunks.shift();
      if (piece) yield piece;
      else if (queue.end) break;
      else await new Promise<void>(resolve => resumeUntil(stream, queue, resolve));
    }
    if (queue.end.failure !== undefined) throw queue.end.failure;
  } finally {
    // A caller that discards the rest of the body must not be paused by `take`.
    stream.off('error', end).off('end', finish).off('close', cut).off('data', take);
  }
}

interface ChunkQueue {
  readonly chunks: Buffer[];
  /** Null while more pieces may arrive; `failure` is undefined at a regular end. */
  end: { readonly failure: unknown } | null;
  wake: () => void;
}

function resumeUntil(stream: Readable, queue: ChunkQueue, wake: () => void): void {
  queue.wake = wake;
  stream.resume();
}

/** Frees each piece when the next one is read, which waits for its fair turn. */
export async function* chunksFreedAfterUse(
  stream: Readable,
  waitForTurn: () => Promise<void> | null,
): AsyncGenerator<Uint8Array> {
  for await (const piece of chunksOf(stream)) {
    yield piece;
    freeBuffer(piece);
    await waitForTurn();
  }
}
