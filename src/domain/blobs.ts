/** The port to the blob store: bytes by key, in a folder or a bucket. */
import type { Readable } from 'node:stream';

/** A stored blob. */
export interface BlobInfo {
  readonly key: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Thrown when bytes cannot be stored or read: disk full, folder missing, service unavailable. */
export class BlobsUnavailable extends Error {
  override readonly name: string = 'BlobsUnavailable';
}

/** The content of a key is complete or absent, and never changes. */
export interface Blobs {
  /**
   * Moves a local file under a new key and resolves after the bytes are flushed. On failure the file stays, and no
   * blob is left. With `known`, the size and hash of the file, it is not read again.
   */
  put(path: string, known?: Omit<BlobInfo, 'key'>): Promise<BlobInfo>;
  /**
   * Null when there is no such blob, or when it no longer has `wholeBytes` bytes. `start` and `end` are byte offsets,
   * both inclusive.
   */
  open(
    key: string,
    range?: { readonly start: number; readonly end: number },
    wholeBytes?: number,
  ): Promise<Readable | null>;
  /** Path of the blob on this machine, for reading only; null where blobs are stored elsewhere. */
  localPath(key: string): string | null;
  /** Removing a missing blob is not an error. */
  remove(key: string): Promise<void>;
  /** Keys last written before that moment (epoch ms), to find orphans. */
  list(writtenBefore: number): AsyncIterable<string>;
  /** Removes what unfinished `put` calls from before that moment (epoch ms) left; returns how many there were. */
  removeUnfinished(begunBefore: number): Promise<number>;
  /** Rejects with BlobsUnavailable when nothing can be written now. */
  check(): Promise<void>;
}
