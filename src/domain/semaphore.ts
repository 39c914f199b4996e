/** A counting semaphore whose permits are granted in the order of the requests. */
export interface Semaphore {
  /** Resolves with the function that releases the permit; rejects when the signal, where one is given, aborts first. */
  acquire(signal?: AbortSignal): Promise<() => void>;
}

/** At most `permits` callers have a permit at once. */
export function openSemaphore(permits: number): Semaphore {
  const queue: (() => void)[] = [];
  let taken = 0;
  /** Passes the permit to the first in the queue, so that a later request never overtakes. */
  const release = () => {
    const next = queue.shift();
    if (next) next();
    else taken--;
  };
  return {
    async acquire(signal) {
      signal?.throwIfAborted();
      if (taken < permits) taken++;
      else await waitForPermit(queue, signal);
      return release;
    },
  };
}

function waitForPermit(queue: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const grant = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      queue.splice(queue.indexOf(grant), 1);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    queue.push(grant);
  });
}
