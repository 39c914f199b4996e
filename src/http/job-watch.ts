import { type Connection, jobTopic } from '../store/db/connection.ts';

/** More requests than this are not held: they are answered at once. */
const maxWaiters = 20_000;

export interface JobWatch {
  /** Resolves when something is announced of the job, the time is over or the signal aborts. Costs no statement. */
  nextChange(jobId: string, ms: number, signal: AbortSignal): Promise<void>;
  /** True once the server stops: nobody is held any more. */
  isClosed(): boolean;
  /** Lets every held request go. */
  close(): void;
}

export function openJobWatch(db: Connection): JobWatch {
  const held = new Map<string, Set<() => void>>();
  let count = 0;
  let closed = false;
  const wake = (topic: string) => {
    for (const release of held.get(topic) ?? []) release();
  };
  const stop = db.onAnnounced(wake);

  return {
    nextChange: (jobId, ms, signal) =>
      new Promise(resolve => {
        if (closed || signal.aborted || count >= maxWaiters) return resolve();
        const topic = jobTopic(jobId);
        const waiters = held.get(topic) ?? new Set();
        held.set(topic, waiters);
        const timer = setTimeout(release, ms);
        count++;
        waiters.add(release);
        signal.addEventListener('abort', release, { once: true });
        function release() {
          if (!waiters.delete(release)) return;
          count--;
          clearTimeout(timer);
          signal.removeEventListener('abort', release);
          if (waiters.size === 0) held.delete(topic);
          resolve();
        }
      }),
    isClosed: () => closed,
    close() {
      closed = true;
      stop();
      for (const topic of [...held.keys()]) wake(topic);
    },
  };
}
