import { type Clock, systemClock } from '../../src/domain/clock.ts';

/** A clock that a test can put forward: `now` jumps, sleeps take real time until they are woken by the jump. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function openTestClock(): TestClock {
  let ahead = 0;
  let jump = new AbortController();
  return {
    now: () => systemClock.now() + ahead,
    async sleep(ms, signal) {
      const endsAt = systemClock.now() + ahead + ms;
      for (;;) {
        const rest = endsAt - (systemClock.now() + ahead);
        if (rest <= 0 || signal?.aborted) return;
        await systemClock.sleep(rest, signal ? AbortSignal.any([signal, jump.signal]) : jump.signal);
      }
    },
    advance(ms) {
      ahead += ms;
      const passed = jump;
      jump = new AbortController();
      passed.abort();
    },
  };
}
