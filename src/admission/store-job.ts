import { jitteredRetryAfter } from '../body/retry-after.ts';
import { openFairQueue, QueueFull } from '../domain/fair-queue.ts';
import type { StoredFile } from '../domain/file.ts';
import type { UserId } from '../domain/ids.ts';
import { toJson } from '../domain/json.ts';
import type { Principal, Quota } from '../domain/key.ts';
import { refuse } from '../domain/refusal.ts';
import type { Connection } from '../store/db/connection.ts';
import { type Insertion, insertJob, type NewJob } from '../store/jobs/insert.ts';
import type { BacklogLimit } from './backlog-limit.ts';
import type { ValidatedMedia } from './media-gate.ts';
import { refuseUsedQuota } from './quota.ts';
import { type StorageQuota, storageRefusal } from './storage-quota.ts';

/** A job but for what becomes of its media. */
export type AdmittedJob = Omit<NewJob, 'input' | 'parentId'>;

/**
 * Puts one job into one place, with the media that came inside it. What was kept is taken back where the job is not
 * inserted, and the caller is told what stood in the way.
 */
export type StoreJob = (principal: Principal, job: AdmittedJob, media: ValidatedMedia) => Promise<Insertion>;

export interface StoreJobDependencies {
  readonly db: Connection;
  readonly backlog: BacklogLimit;
  readonly storage: StorageQuota;
}

/**
 * Inserts that lock a row of their user wait for each other in the database, each with a connection of its own. They
 * wait here instead, or one key could hold every connection of the pool.
 */
const lockingInserts = { running: 4, runningPerShare: 1, waiting: 4_000, waitingPerShare: 1_000 };

export function openStoreJob({ db, backlog, storage }: StoreJobDependencies): StoreJob {
  const inserts = openFairQueue<UserId>(lockingInserts);

  /** SQLite has one writer, whose inserts share a flush: nobody holds a lock there. */
  function insert(job: NewJob, files: readonly StoredFile[], quota: Quota | null): Promise<Insertion> {
    const work = () => insertJob(db, job, { files, quota, storage: storage.bounds });
    const isLocking = files.length > 0 || quota !== null;
    if (db.dialect === 'sqlite' || !isLocking) return work();
    return inserts.run(job.userId, work).catch(failure => {
      if (!(failure instanceof QueueFull)) throw failure;
      throw refuse(failure.scope === 'share' ? 'bodies_of_key_full' : 'bodies_full', jitteredRetryAfter());
    });
  }

  return async (principal, job, media) => {
    const { keyId, quota } = principal;
    if (media.inlineBytes > 0) await storage.refuseOverTotal(media.inlineBytes);
    // Under an Idempotency-Key the same creation may be on its way: the insert tells which of them is the first.
    if (job.idempotency === null) {
      await refuseUsedQuota(db, principal, job.createdAt);
      const used = media.inlineBytes > 0 ? await storage.findExceeded(principal, media.inlineBytes) : null;
      if (used) throw storageRefusal('storage_of_key_used', used);
    }
    return backlog.reserve(keyId, async () => {
      const kept = await media.store(job.id);
      const whole = { ...job, input: toJson(kept.input), parentId: kept.parentId };
      const insertion = await insert(whole, kept.files, quota).catch(async failure => {
        await media.rollback(kept, failure);
        throw failure;
      });
      if (insertion.kind !== 'inserted') await media.rollback(kept, insertion);
      return insertion;
    });
  };
}
