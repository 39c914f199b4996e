import type { Clock } from '../domain/clock.ts';

/** Something a loop sleeps on: until it is due, or somebody has news for it. */
export interface Nudge {
  /** Ends the present sleep, or the next one before it begins. */
  wake(): void;
  /** True when it was ended by news. */
  sleep(ms: number, signal?: AbortSignal): Promise<boolean>;
}

export function openNudge(clock: Clock): Nudge {
  let sleeping: AbortController | null = null;
  let hasNews = false;
  return {
    wake() {
      hasNews = true;
      sleeping?.abort();
    },
    async sleep(ms, signal) {
      if (!hasNews) {
        sleeping = new AbortController();
        await clock.sleep(ms, signal ? AbortSignal.any([sleeping.signal, signal]) : sleeping.signal);
        sleeping = null;
      }
      const woken = hasNews;
      hasNews = false;
      return woken;
    },
  };
}
