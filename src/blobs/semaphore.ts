/** Lets so many in at once; whoever comes later waits in line. */
export interface Semaphore {
  /** Resolves with what ends the turn; rejects when the signal aborts before it began. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

export function openSemaphore(atOnce: number): Semaphore {
  const line: (() => void)[] = [];
  let taken = 0;
  /** The turn goes straight to the next in line, so that none who comes later is before him. */
  const end = () => {
    const next = line.shift();
    if (next) next();
    else taken--;
  };
  return {
    async acquire(signal) {
      signal.throwIfAborted();
      if (taken < atOnce) taken++;
      else await waitForPermit(line, signal);
      return end;
    },
  };
}

function waitForPermit(line: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      line.splice(line.indexOf(begin), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    line.push(begin);
  });
}
