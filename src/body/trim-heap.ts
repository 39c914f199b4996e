/** Returns the memory of large bodies to the operating system, which V8 by itself would keep. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A body of this size leaves more garbage than a thousand usual requests. */
const largeBytes = 8 * 1024 * 1024;
/** The collection stops the process, so it runs only after this time without a large body. */
const quietMs = 3000;
/** The one kind of collection that returns pages to the operating system. */
const fullCollection = { type: 'major', execution: 'sync', flavor: 'last-resort' };

export interface HeapTrimmer {
  /** Reports that a body of so many bytes is no longer in use. */
  bodyEnded(bytes: number): void;
  close(): void;
}

/** `isBusy`: whether bodies are in memory; a collection then waits for another quiet period. */
export function openHeapTrimmer(isBusy: () => boolean): HeapTrimmer {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    clearTimeout(timer);
    timer = setTimeout(trim, quietMs).unref();
  }

  function trim(): void {
    if (isBusy()) schedule();
    else if (typeof collect === 'function') collect(fullCollection);
  }

  return {
    bodyEnded(bytes) {
      if (bytes >= largeBytes) schedule();
    },
    close: () => clearTimeout(timer),
  };
}
