import { BlobsUnavailable } from '../domain/blobs.ts';
import { type Clock, hours, seconds } from '../domain/clock.ts';
import type { Principal } from '../domain/key.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { sizeText } from '../domain/storage-limits.ts';
import type { Statements } from '../store/connection.ts';
import {
  findUsedStorage,
  readStoredBytes,
  type StorageBounds,
  type UsedStorage,
} from '../store/stored-bytes.ts';

/** Whether there is room for bytes that somebody brings. */
export interface StorageRoom {
  /** Of a key and of a user: counted again, exactly, in the transaction that inserts the rows of the files. */
  readonly bounds: StorageBounds;
  /** Throws like a full disk when the files of all users, and what was let in a moment ago, leave no room for so many bytes. */
  refuseInAll(bytes: number): Promise<void>;
  /** Null while key and user have room for so many bytes more; takes none. */
  findUsed(principal: Principal, bytes: number): Promise<UsedStorage | null>;
}

export interface StorageRoomParts {
  readonly db: Statements;
  readonly clock: Clock;
  readonly bounds: StorageBounds;
  /** Of all users; null: no bound. */
  readonly mostInAll: number | null;
}

/** How old the sum over all users may be when it decides. */
const sumLifeMs = 1 * seconds;
/** How long bytes that were let in are counted beside that sum: until then they stand in it. */
const letInLifeMs = 10 * seconds;

export function openStorageRoom({ db, clock, bounds, mostInAll }: StorageRoomParts): StorageRoom {
  let inAll: Promise<number> = Promise.resolve(0);
  let readAt = Number.NEGATIVE_INFINITY;
  let letIn: readonly { readonly at: number; readonly bytes: number }[] = [];

  /** One reads for all who ask within the same second. */
  function sumInAll(): Promise<number> {
    if (clock.now() - readAt < sumLifeMs) return inAll;
    readAt = clock.now();
    inAll = readStoredBytes(db);
    inAll.catch(() => (readAt = Number.NEGATIVE_INFINITY));
    return inAll;
  }

  return {
    bounds,
    async refuseInAll(bytes) {
      if (mostInAll === null || bytes === 0) return;
      const stored = await sumInAll();
      const now = clock.now();
      letIn = letIn.filter(({ at }) => now - at < letInLifeMs);
      const onTheWay = letIn.reduce((sum, each) => sum + each.bytes, 0);
      if (stored + onTheWay + bytes > mostInAll)
        throw new BlobsUnavailable(
          `the files of all users fill ${sizeText(mostInAll)}: limits.storage.in_all`,
        );
      letIn = [...letIn, { at: now, bytes }];
    },
    findUsed: (principal, bytes) => findUsedStorage(db, principal, bytes, bounds),
  };
}

/** Room comes with the end of a file, which its user can bring about at once: nobody should ask again every second. */
const tryAgainSeconds = (1 * hours) / seconds;

/** The 429 of a creation or of an upload. */
export const storageRefusal = (
  name: 'storage_of_key_used' | 'storage_quota_exceeded',
  { whose, most, bytes }: UsedStorage,
): Refusal =>
  refuse(name, {
    subject: `The files of this ${whose} hold ${sizeText(bytes)} of ${sizeText(most)}, there is no room for more: delete some (DELETE /v1/files/{id}) or wait until they expire`,
    retryAfterSeconds: tryAgainSeconds,
  });
