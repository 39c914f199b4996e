import type { Readable } from 'node:stream';

/**
 * Gives the memory of a piece back now and not at some later collection: what is read of it afterwards is empty.
 * Pieces that share their memory with others stay as they are.
 */
export function freeBuffer(piece: Uint8Array): void {
  const { buffer } = piece;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === piece.byteLength) buffer.transfer(0);
}

/** The pieces of a stream as they came: its own iterator copies those that wait together into one. */
export async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  const came: ChunkQueue = { chunks: [], end: null, wake: () => {} };
  const end = (failure?: unknown) => {
    came.end ??= { failure };
    came.wake();
  };
  const cut = () => end(Object.assign(new Error('cut off'), { code: 'ECONNRESET' }));
  const take = (piece: Buffer) => {
    stream.pause();
    came.chunks.push(piece);
    came.wake();
  };
  if (stream.destroyed && !stream.readableEnded) cut();
  const finish = () => end();
  stream.on('error', end).on('end', finish).on('close', cut).on('data', take);
  try {
    for (;;) {
      const piece = came.chunks.shift();
      if (piece) yield piece;
      else if (came.end) break;
      else await new Promise<void>(resolve => resumeUntil(stream, came, resolve));
    }
    if (came.end.failure !== undefined) throw came.end.failure;
  } finally {
    // Whoever throws the rest away must not be held up here.
    stream.off('error', end).off('end', finish).off('close', cut).off('data', take);
  }
}

interface ChunkQueue {
  readonly chunks: Buffer[];
  /** Null as long as there may be more. */
  end: { readonly failure: unknown } | null;
  wake: () => void;
}

function resumeUntil(stream: Readable, came: ChunkQueue, wake: () => void): void {
  came.wake = wake;
  stream.resume();
}

/** Each piece is released once the next one is asked for, which waits for its turn. */
export async function* chunksFreedAfterUse(
  stream: Readable,
  turn: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of chunksOf(stream)) {
    yield piece;
    freeBuffer(piece);
    await turn();
  }
}
