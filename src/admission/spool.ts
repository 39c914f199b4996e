/** The spool: a local folder for incoming files, with a budget of bytes for each key and for all. */
import { rm } from 'node:fs/promises';
import { jitteredRetryAfter } from '../body/retry-after.ts';
import type { KeyId } from '../domain/ids.ts';
import type { SpoolLimits } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';
import { type SpooledFile, spoolToFile } from '../media/spool-file.ts';

/** An incoming file; its bytes count against the budget until it is dropped, even where the file was moved away. */
export interface Spooled extends SpooledFile {
  /** Removes the file unless it was moved away, and frees its budget; a second call does nothing. */
  drop(): Promise<void>;
}

export interface Spool {
  readonly folder: string;
  /** Throws `TooManyBytes`, or the 429 or 503 of a full budget; then no part of the file is left. */
  receive(
    keyId: KeyId,
    content: AsyncIterable<Uint8Array>,
    bounds: { readonly maxBytes: number },
  ): Promise<Spooled>;
  /** Of all keys, for the metrics. */
  bytesInUse(): number;
}

export function openSpool(folder: string, limits: SpoolLimits): Spool {
  const byKey = new Map<KeyId, number>();
  let total = 0;

  function change(keyId: KeyId, by: number): void {
    total += by;
    const ofKey = (byKey.get(keyId) ?? 0) + by;
    if (ofKey > 0) byKey.set(keyId, ofKey);
    else byKey.delete(keyId);
  }

  return {
    folder,
    async receive(keyId, content, { maxBytes }) {
      let reserved = 0;
      function reserveBytes(bytes: number): void {
        if ((byKey.get(keyId) ?? 0) + bytes > limits.bytesPerKey)
          throw refuse('spool_of_key_full', jitteredRetryAfter());
        if (total + bytes > limits.bytesInAll) throw refuse('spool_full', jitteredRetryAfter());
        change(keyId, bytes);
        reserved += bytes;
      }
      function release(): void {
        change(keyId, -reserved);
        reserved = 0;
      }
      try {
        const received = await spoolToFile(content, { directory: folder, maxBytes, reserveBytes });
        const drop = () => rm(received.path, { force: true }).finally(release);
        return { ...received, drop };
      } catch (failure) {
        release();
        throw failure;
      }
    },
    bytesInUse: () => total,
  };
}
