import { BlobsUnavailable } from '../domain/blobs.ts';
import { type Clock, hours, seconds } from '../domain/clock.ts';
import type { Principal } from '../domain/key.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { sizeText } from '../domain/storage-limits.ts';
import type { Statements } from '../store/db/connection.ts';
import {
  findExceededStorage,
  readStoredBytes,
  type StorageBounds,
  type StorageExceeded,
} from '../store/files/storage-usage.ts';

/** Whether there is room for bytes that somebody brings. */
export interface StorageQuota {
  /** Of a key and of a user: counted again, exactly, in the transaction that inserts the rows of the files. */
  readonly bounds: StorageBounds;
  /** Throws like a full disk when the files of all users, and what was let in a moment ago, leave no room for so many bytes. */
  refuseOverTotal(bytes: number): Promise<void>;
  /** Null while key and user have room for so many bytes more; takes none. */
  findExceeded(principal: Principal, bytes: number): Promise<StorageExceeded | null>;
}

export interface StorageQuotaDependencies {
  readonly db: Statements;
  readonly clock: Clock;
  readonly bounds: StorageBounds;
  /** Of all users; null: no bound. */
  readonly maxTotalBytes: number | null;
}

/** How old the sum over all users may be when it decides. */
const sumMaxAgeMs = 1 * seconds;
/** How long bytes that were let in are counted beside that sum: until then they stand in it. */
const admittedBytesLifeMs = 10 * seconds;

export function openStorageQuota({
  db,
  clock,
  bounds,
  maxTotalBytes,
}: StorageQuotaDependencies): StorageQuota {
  let inAll: Promise<number> = Promise.resolve(0);
  let readAt = Number.NEGATIVE_INFINITY;
  let letIn: readonly { readonly at: number; readonly bytes: number }[] = [];

  /** One reads for all who ask within the same second. */
  function sumInAll(): Promise<number> {
    if (clock.now() - readAt < sumMaxAgeMs) return inAll;
    readAt = clock.now();
    inAll = readStoredBytes(db);
    inAll.catch(() => (readAt = Number.NEGATIVE_INFINITY));
    return inAll;
  }

  return {
    bounds,
    async refuseOverTotal(bytes) {
      if (maxTotalBytes === null || bytes === 0) return;
      const stored = await sumInAll();
      const now = clock.now();
      letIn = letIn.filter(({ at }) => now - at < admittedBytesLifeMs);
      const onTheWay = letIn.reduce((sum, each) => sum + each.bytes, 0);
      if (stored + onTheWay + bytes > maxTotalBytes)
        throw new BlobsUnavailable(
          `the files of all users fill ${sizeText(maxTotalBytes)}: limits.storage.in_all`,
        );
      letIn = [...letIn, { at: now, bytes }];
    },
    findExceeded: (principal, bytes) => findExceededStorage(db, principal, bytes, bounds),
  };
}

/** Room comes with the end of a file, which its user can bring about at once: nobody should ask again every second. */
const tryAgainSeconds = (1 * hours) / seconds;

/** The 429 of a creation or of an upload. */
export const storageRefusal = (
  name: 'storage_of_key_used' | 'storage_quota_exceeded',
  { owner, limit, bytes }: StorageExceeded,
): Refusal =>
  refuse(name, {
    subject: `The files of this ${owner} hold ${sizeText(bytes)} of ${sizeText(limit)}, there is no room for more: delete some (DELETE /v1/files/{id}) or wait until they expire`,
    retryAfterSeconds: tryAgainSeconds,
  });
