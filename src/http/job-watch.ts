/** Waiting for a change of a job without polling the database. */

import { type Connection, jobTopic } from '../store/db/connection.ts';

/** Requests that watch a job at one moment; any more are answered at once. */
const maxWatchers = 20_000;

/** Lets requests wait for a change of a job. */
export interface JobWatch {
  /**
   * Watches the job from this call on. What it returns waits until the store announces a change, `ms` have passed, or the
   * signal aborts. Costs no SQL statement.
   */
  watch(jobId: string, ms: number, signal: AbortSignal): () => Promise<void>;
  /** Requests that wait at this moment; one that still reads its job does not. */
  waiting(): number;
  /** True once the server stops: requests no longer wait. */
  isClosed(): boolean;
  /** Ends every wait. */
  close(): void;
}

/** Listens to the announcements of the store. */
export function openJobWatch(db: Connection): JobWatch {
  const byTopic = new Map<string, Set<() => void>>();
  let watching = 0;
  let waiting = 0;
  let closed = false;
  const wake = (topic: string) => {
    for (const release of byTopic.get(topic) ?? []) release();
  };
  const stop = db.onAnnounced(wake);

  function watch(jobId: string, ms: number, signal: AbortSignal): Promise<void> {
    if (closed || signal.aborted || watching >= maxWatchers) return Promise.resolve();
    const { promise: change, resolve } = Promise.withResolvers<void>();
    const topic = jobTopic(jobId);
    const watchers = byTopic.get(topic) ?? new Set();
    byTopic.set(topic, watchers);
    const timer = setTimeout(release, ms);
    watching++;
    watchers.add(release);
    signal.addEventListener('abort', release, { once: true });
    function release() {
      if (!watchers.delete(release)) return;
      watching--;
      clearTimeout(timer);
      signal.removeEventListener('abort', release);
      if (watchers.size === 0) byTopic.delete(topic);
      resolve();
    }
    return change;
  }

  return {
    watch(jobId, ms, signal) {
      const change = watch(jobId, ms, signal);
      return async () => {
        waiting++;
        await change;
        waiting--;
      };
    },
    waiting: () => waiting,
    isClosed: () => closed,
    close() {
      closed = true;
      stop();
      for (const topic of [...byTopic.keys()]) wake(topic);
    },
  };
}
