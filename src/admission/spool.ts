import { rm } from 'node:fs/promises';
import { jitteredRetryAfter } from '../body/retry-after.ts';
import type { KeyId } from '../domain/ids.ts';
import type { SpoolLimits } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';
import { type SpooledFile, spoolToFile } from '../media/spool-file.ts';

/** A file on its way in. It takes its part of the room until it is dropped, whatever became of its bytes. */
export interface Spooled extends SpooledFile {
  /** Removes the file unless it was moved away, and gives its room back; a second time does nothing. */
  drop(): Promise<void>;
}

/** The local folder for files on their way in, within a bound of bytes for each key and in all. */
export interface Spool {
  readonly folder: string;
  /** Throws `TooManyBytes`, or the 429 or 503 when there is no room; nothing is left of what came until then. */
  receive(
    keyId: KeyId,
    content: AsyncIterable<Uint8Array>,
    bounds: { readonly maxBytes: number },
  ): Promise<Spooled>;
  bytesInUse(): number;
}

export function openSpool(folder: string, limits: SpoolLimits): Spool {
  const byKey = new Map<KeyId, number>();
  let inAll = 0;

  function change(keyId: KeyId, by: number): void {
    inAll += by;
    const ofKey = (byKey.get(keyId) ?? 0) + by;
    if (ofKey > 0) byKey.set(keyId, ofKey);
    else byKey.delete(keyId);
  }

  return {
    folder,
    async receive(keyId, content, { maxBytes }) {
      let held = 0;
      function reserveBytes(bytes: number): void {
        if ((byKey.get(keyId) ?? 0) + bytes > limits.bytesPerKey)
          throw refuse('spool_of_key_full', jitteredRetryAfter());
        if (inAll + bytes > limits.bytesInAll) throw refuse('spool_full', jitteredRetryAfter());
        change(keyId, bytes);
        held += bytes;
      }
      function giveBack(): void {
        change(keyId, -held);
        held = 0;
      }
      try {
        const received = await spoolToFile(content, { directory: folder, maxBytes, reserveBytes });
        const drop = () => rm(received.path, { force: true }).finally(giveBack);
        return { ...received, drop };
      } catch (failure) {
        giveBack();
        throw failure;
      }
    },
    bytesInUse: () => inAll,
  };
}
