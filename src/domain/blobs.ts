import type { Readable } from 'node:stream';

/** What is known of bytes once they are flushed. */
export interface BlobInfo {
  readonly key: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Thrown when the bytes cannot be kept or read: disk full, folder gone, service away. */
export class BlobsUnavailable extends Error {
  override readonly name: string = 'BlobsUnavailable';
}

/** Bytes by key. A key's content is whole or absent, and never changes. */
export interface Blobs {
  /**
   * Keeps a local file under a new key and resolves after the bytes are flushed; the file is gone from
   * its place then. On failure the file stays, and nothing else is left behind. Whoever wrote the file may
   * say what it holds, so that it is not read again.
   */
  put(path: string, known?: Omit<BlobInfo, 'key'>): Promise<BlobInfo>;
  /**
   * Null when there is no such blob, or when it lost some of its `wholeBytes`. `start` and `end` are byte
   * offsets, both inclusive.
   */
  open(
    key: string,
    range?: { readonly start: number; readonly end: number },
    wholeBytes?: number,
  ): Promise<Readable | null>;
  /** Where the bytes of that key lie on this machine, to be read and never changed; null where they lie elsewhere. */
  localPath(key: string): string | null;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
  /** Keys last written before that moment (epoch ms): how orphans are found. */
  list(writtenBefore: number): AsyncIterable<string>;
  /** Removes what keeping began before that moment (epoch ms) and never ended; gives how many there were. */
  removeUnfinished(begunBefore: number): Promise<number>;
  /** Rejects with BlobsUnavailable when nothing can be written now. */
  check(): Promise<void>;
}
