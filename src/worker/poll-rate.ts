import { type Clock, seconds } from '../domain/clock.ts';

/** How often upstreams are asked, all jobs of this process together. */
export interface PollRateLimit {
  /** Before this time of the clock nobody is asked. */
  readonly nextPollAt: () => number;
  /** Somebody is asked now. */
  take(): void;
}

const perSecond = 1_000;
/** So many at once after a pause. */
const burst = 100;
const spacingMs = seconds / perSecond;

/** One number: the time at which what was taken would be forgotten. */
export function openPollRateLimit(clock: Pick<Clock, 'now'>): PollRateLimit {
  let emptyAt = 0;
  return {
    nextPollAt: () => emptyAt - (burst - 1) * spacingMs,
    take() {
      emptyAt = Math.max(emptyAt, clock.now()) + spacingMs;
    },
  };
}
