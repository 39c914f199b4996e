/** Waiting for a change of a job without polling the database. */

import { type Connection, jobTopic } from '../store/db/connection.ts';

/** Waiting requests at one moment; any more are answered at once. */
const maxWaiters = 20_000;

/** Lets requests wait for a change of a job. */
export interface JobWatch {
  /** Resolves when the store announces a change of the job, after `ms`, or when the signal aborts. Costs no SQL statement. */
  nextChange(jobId: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Requests that wait at this moment. */
  waiting(): number;
  /** True once the server stops: requests no longer wait. */
  isClosed(): boolean;
  /** Ends every wait. */
  close(): void;
}

/** Listens to the announcements of the store. */
export function openJobWatch(db: Connection): JobWatch {
  const byTopic = new Map<string, Set<() => void>>();
  let count = 0;
  let closed = false;
  const wake = (topic: string) => {
    for (const release of byTopic.get(topic) ?? []) release();
  };
  const stop = db.onAnnounced(wake);

  return {
    nextChange: (jobId, ms, signal) =>
      new Promise(resolve => {
        if (closed || signal.aborted || count >= maxWaiters) return resolve();
        const topic = jobTopic(jobId);
        const waiters = byTopic.get(topic) ?? new Set();
        byTopic.set(topic, waiters);
        const timer = setTimeout(release, ms);
        count++;
        waiters.add(release);
        signal.addEventListener('abort', release, { once: true });
        function release() {
          if (!waiters.delete(release)) return;
          count--;
          clearTimeout(timer);
          signal.removeEventListener('abort', release);
          if (waiters.size === 0) byTopic.delete(topic);
          resolve();
        }
      }),
    waiting: () => count,
    isClosed: () => closed,
    close() {
      closed = true;
      stop();
      for (const topic of [...byTopic.keys()]) wake(topic);
    },
  };
}
