import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A body from here on leaves more behind than a thousand usual requests. */
const largeBytes = 8 * 1024 * 1024;
/** Everybody waits while it is collected: not before no large body came for so long. */
const quietMs = 3000;
/** The one kind of collection that gives pages back to the system. */
const fullCollection = { type: 'major', execution: 'sync', flavor: 'last-resort' };

/** What large bodies leave behind is given back to the system, which the runtime by itself would keep for more to come. */
export interface HeapTrimmer {
  /** A body of so many bytes is judged. */
  bodyEnded(bytes: number): void;
  close(): void;
}

export function openHeapTrimmer(isBusy: () => boolean): HeapTrimmer {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  let timer: NodeJS.Timeout | undefined;

  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(giveBack, quietMs).unref();
  }

  function giveBack(): void {
    if (isBusy()) later();
    else if (typeof collect === 'function') collect(fullCollection);
  }

  return {
    bodyEnded(bytes) {
      if (bytes >= largeBytes) later();
    },
    close: () => clearTimeout(timer),
  };
}
