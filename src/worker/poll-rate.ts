// Limits how many polls a second this process makes: a leaky bucket.
import { type Clock, seconds } from '../domain/clock.ts';

/** Polls of all jobs of this process together. */
export interface PollRateLimit {
  /** The time of the clock from which the next poll may start. */
  readonly nextPollAt: () => number;
  /** A poll starts now. */
  take(): void;
}

/** Polls of the whole process. */
const perSecond = 1_000;
/** Polls at once after a pause. */
const burst = 100;
/** Between two polls at the full rate. */
const spacingMs = seconds / perSecond;

/** One number is the whole state: the time at which the bucket would be empty again. */
export function openPollRateLimit(clock: Pick<Clock, 'now'>): PollRateLimit {
  let emptyAt = 0;
  return {
    nextPollAt: () => emptyAt - (burst - 1) * spacingMs,
    take() {
      emptyAt = Math.max(emptyAt, clock.now()) + spacingMs;
    },
  };
}
