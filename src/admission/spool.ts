import { rm } from 'node:fs/promises';
import type { KeyId } from '../domain/ids.ts';
import { refuse } from '../domain/refusal.ts';
import { type Received, receive } from '../media/receive.ts';
import { laterSeconds } from './later.ts';

export interface SpoolLimits {
  /** Bytes on the disk of files that are on their way in. */
  readonly bytesInAll: number;
  readonly bytesPerKey: number;
}

/** A file on its way in. It takes its part of the room until it is dropped, whatever became of its bytes. */
export interface Spooled extends Received {
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
  bytesHeld(): number;
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
      function take(bytes: number): void {
        if ((byKey.get(keyId) ?? 0) + bytes > limits.bytesPerKey)
          throw refuse('spool_of_key_full', laterSeconds());
        if (inAll + bytes > limits.bytesInAll) throw refuse('spool_full', laterSeconds());
        change(keyId, bytes);
        held += bytes;
      }
      function giveBack(): void {
        change(keyId, -held);
        held = 0;
      }
      try {
        const received = await receive(content, { directory: folder, maxBytes, take });
        const drop = () => rm(received.path, { force: true }).finally(giveBack);
        return { ...received, drop };
      } catch (failure) {
        giveBack();
        throw failure;
      }
    },
    bytesHeld: () => inAll,
  };
}
