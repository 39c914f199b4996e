/** An interruptible sleep for loops. */
import type { Clock } from './clock.ts';

/** A loop sleeps until its time is over, it is woken up, or its signal aborts. */
export interface Wakeup {
  /** Ends the present sleep, or the next one before it begins. */
  wake(): void;
  /** Whether a wake-up has not ended a sleep yet. */
  readonly hasNews: () => boolean;
  /** Resolves to true when it was ended by a wake-up. */
  sleep(ms: number): Promise<boolean>;
}

/** Listens to the signal once for all sleeps, because a hundred thousand jobs may sleep at once. */
export function openWakeup(clock: Clock, signal: AbortSignal): Wakeup {
  let sleeping: AbortController | null = null;
  let hasNews = false;
  signal.addEventListener('abort', () => sleeping?.abort(), { once: true });
  return {
    hasNews: () => hasNews,
    wake() {
      hasNews = true;
      sleeping?.abort();
    },
    async sleep(ms) {
      if (!hasNews && !signal.aborted && ms > 0) {
        sleeping = new AbortController();
        await clock.sleep(ms, sleeping.signal);
        sleeping = null;
      }
      const woken = hasNews;
      hasNews = false;
      return woken;
    },
  };
}
