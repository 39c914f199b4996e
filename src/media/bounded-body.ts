/** The body of an outbound response: read at most once, within a limit of bytes and until the request's deadline. */
import type { Readable } from 'node:stream';

export interface BoundedBody extends AsyncIterable<Uint8Array> {
  /** The first `bytes` bytes; the rest is not waited for. A body that ends early gives what arrived. */
  readFirst(bytes: number): Promise<Uint8Array>;
  /** Closes the connection without reading the rest. */
  discard(): void;
}

/** Thrown while reading; its message is a sentence that may be shown to the sender of the URL. */
export class BodyFailed extends Error {
  override readonly name = 'BodyFailed';
}

/** Thrown when the body exceeds `maxBytes`. */
export class BodyTooLarge extends BodyFailed {}

export interface BoundedBodyOptions {
  readonly maxBytes: number;
  /** Releases the connection; called when the body ended, failed or was discarded. */
  readonly release: () => void;
  readonly describeError: (error: unknown) => string;
}

export function openBoundedBody(
  source: Readable,
  { maxBytes, release, describeError }: BoundedBodyOptions,
): BoundedBody {
  // A failure before the body is read must not be an unhandled error; a reader gets it by the iteration.
  source.on('error', () => {});

  async function* read(): AsyncGenerator<Uint8Array> {
    let taken = 0;
    try {
      for await (const chunk of source as AsyncIterable<Uint8Array>) {
        const remaining = maxBytes - taken;
        taken += chunk.length;
        yield chunk.length > remaining ? chunk.subarray(0, remaining) : chunk;
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
        // The bytes before the failure are the result.
      }
      return new Uint8Array(Buffer.concat(chunks).subarray(0, bytes));
    },
    discard,
  };
}
