/** Inserts jobs; those that lock rows of their user wait for each other here, not in the database. */
import { jitteredRetryAfter } from '../body/retry-after.ts';
import { openFairQueue, QueueFull } from '../domain/fair-queue.ts';
import type { UserId } from '../domain/ids.ts';
import { refuse } from '../domain/refusal.ts';
import type { Connection } from '../store/db/connection.ts';
import { type Insertion, type InsertOptions, insertJob, type NewJob } from '../store/jobs/insert.ts';

/** Inserts a job and its files; throws the 429 or 503 when the queue is full. */
export type QueuedInsert = (job: NewJob, options: Required<InsertOptions>) => Promise<Insertion>;

/**
 * Inserts that lock a row of their user wait for each other in the database, each with a connection. Without this
 * queue the requests of one key could occupy every connection of the pool.
 */
const lockingInserts = { running: 4, runningPerShare: 1, waiting: 4_000, waitingPerShare: 1_000 };

export function openInsertQueue(db: Connection): QueuedInsert {
  const queue = openFairQueue<UserId>(lockingInserts);

  return (job, options) => {
    const insert = () => insertJob(db, job, options);
    // Amounts are reserved in batches, which bound themselves.
    const isLocking = options.files.length > 0 || options.quota !== null;
    // SQLite has one writer, whose inserts share a flush: there is no lock to wait for.
    if (db.dialect === 'sqlite' || !isLocking) return insert();
    return queue.run(job.userId, insert).catch(failure => {
      if (!(failure instanceof QueueFull)) throw failure;
      throw refuse(failure.scope === 'share' ? 'bodies_of_key_full' : 'bodies_full', jitteredRetryAfter());
    });
  };
}
