import type { Clock } from './clock.ts';

/** Something a loop sleeps on: until it is due, somebody has news for it, or its signal aborts. */
export interface Wakeup {
  /** Ends the present sleep, or the next one before it begins. */
  wake(): void;
  /** Whether there is news that ended no sleep yet. */
  readonly hasNews: () => boolean;
  /** True when it was ended by news. */
  sleep(ms: number): Promise<boolean>;
}

/** The signal is listened to once, for all sleeps: a hundred thousand jobs sleep at a time. */
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
