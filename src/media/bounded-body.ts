import type { Readable } from 'node:stream';

/** The body of an answer from outside: read at most once, at most so many bytes, at most until the deadline. */
export interface BoundedBody extends AsyncIterable<Uint8Array> {
  /** The first so many bytes; the rest is not waited for. A body that breaks off gives what came of it. */
  readFirst(bytes: number): Promise<Uint8Array>;
  /** Ends the connection without reading on. */
  discard(): void;
}

/** Thrown while reading; its message is a sentence that may be shown to whoever wrote the address. */
export class BodyFailed extends Error {
  override readonly name = 'BodyFailed';
}

/** It was broken off here, because more came than is taken. */
export class BodyTooLarge extends BodyFailed {}

export interface BoundedBodyOptions {
  readonly maxBytes: number;
  /** Gives the connection back; called once the body is at its end, whichever. */
  readonly release: () => void;
  readonly describeError: (error: unknown) => string;
}

export function openBoundedBody(
  source: Readable,
  { maxBytes, release, describeError }: BoundedBodyOptions,
): BoundedBody {
  // Broken off while nobody reads, it has nobody to tell; a reader is told by the iteration.
  source.on('error', () => {});

  async function* read(): AsyncGenerator<Uint8Array> {
    let taken = 0;
    try {
      for await (const chunk of source as AsyncIterable<Uint8Array>) {
        const room = maxBytes - taken;
        taken += chunk.length;
        yield chunk.length > room ? chunk.subarray(0, room) : chunk;
        if (taken > maxBytes) throw new BodyTooLarge(`The answer is larger than ${maxBytes} bytes.`);
      }
    } catch (error) {
      throw error instanceof BodyFailed ? error : new BodyFailed(describeError(error), { cause: error });
    } finally {
      discard();
    }
  }

  function discard(): void {
    source.destroy();
    release();
  }

  return {
    [Symbol.asyncIterator]: read,
    async readFirst(bytes) {
      const chunks: Uint8Array[] = [];
      let taken = 0;
      try {
        for await (const chunk of read()) {
          chunks.push(chunk);
          taken += chunk.length;
          if (taken >= bytes) break;
        }
      } catch {
        // What came before the break is the answer.
      }
      return new Uint8Array(Buffer.concat(chunks).subarray(0, bytes));
    },
    discard,
  };
}
