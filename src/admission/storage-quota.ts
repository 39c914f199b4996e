/** The storage quota: bytes of files that each key, each user and all users may keep. */
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

export interface StorageQuota {
  /** Of a key and of a user; the transaction that inserts the files counts them exactly. */
  readonly bounds: StorageBounds;
  /** Throws BlobsUnavailable where these bytes would exceed the limit of all users, bytes admitted a moment ago included. */
  refuseOverTotal(bytes: number): Promise<void>;
  /** The quota that these bytes would exceed; null where they fit. Reserves nothing. */
  findExceeded(principal: Principal, bytes: number): Promise<StorageExceeded | null>;
}

export interface StorageQuotaDependencies {
  readonly db: Statements;
  readonly clock: Clock;
  readonly bounds: StorageBounds;
  /** Of all users; null: unlimited. */
  readonly maxTotalBytes: number | null;
}

/** How old the sum over all users may be when it decides. */
const sumMaxAgeMs = 1 * seconds;
/** How long admitted bytes are added to that sum; by then the sum includes them. */
const admittedBytesLifeMs = 10 * seconds;

export function openStorageQuota({
  db,
  clock,
  bounds,
  maxTotalBytes,
}: StorageQuotaDependencies): StorageQuota {
  let total: Promise<number> = Promise.resolve(0);
  let readAt = Number.NEGATIVE_INFINITY;
  let recentlyAdmitted: readonly { readonly at: number; readonly bytes: number }[] = [];

  /** One query serves all requests of the same second. */
  function readTotal(): Promise<number> {
    if (clock.now() - readAt < sumMaxAgeMs) return total;
    readAt = clock.now();
    total = readStoredBytes(db);
    total.catch(() => (readAt = Number.NEGATIVE_INFINITY));
    return total;
  }

  return {
    bounds,
    async refuseOverTotal(bytes) {
      if (maxTotalBytes === null || bytes === 0) return;
      const stored = await readTotal();
      const now = clock.now();
      recentlyAdmitted = recentlyAdmitted.filter(({ at }) => now - at < admittedBytesLifeMs);
      const admitted = recentlyAdmitted.reduce((sum, each) => sum + each.bytes, 0);
      if (stored + admitted + bytes > maxTotalBytes)
        throw new BlobsUnavailable(
          `storage limit reached: files of all users use ${sizeText(maxTotalBytes)} (limits.storage.in_all)`,
        );
      recentlyAdmitted = [...recentlyAdmitted, { at: now, bytes }];
    },
    findExceeded: (principal, bytes) => findExceededStorage(db, principal, bytes, bounds),
  };
}

/** Files expire rarely, and a user who deletes some can retry at once: clients should not poll. */
const retryAfterSeconds = (1 * hours) / seconds;

/** 429, in the sentence and error code of a creation or of an upload. */
export const storageRefusal = (
  name: 'storage_of_key_used' | 'storage_quota_exceeded',
  { owner, limit, bytes }: StorageExceeded,
): Refusal =>
  refuse(name, {
    subject: `The files of this ${owner} use ${sizeText(bytes)} of ${sizeText(limit)}, storage quota exceeded: delete some (DELETE /v1/files/{id}) or wait until they expire`,
    retryAfterSeconds,
  });
