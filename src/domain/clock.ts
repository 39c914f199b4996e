/** The clock of the whole house, units of time, and times written by people. */

/** Tests pass their own clock. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after that many milliseconds, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Milliseconds of each unit: durations are written `15 * minutes`. */
export const seconds = 1000;
export const minutes = 60 * seconds;
export const hours = 60 * minutes;
export const days = 24 * hours;

/** setTimeout counts in 32 bits; a longer sleep ends early, and its loop sleeps again. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(done, Math.min(Math.max(0, ms), longestTimerMs));
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      }
      signal?.addEventListener('abort', done, { once: true });
    }),
};

/**
 * Monotonic time for waits: it advances with the clock, also by a jump, and stands still while the clock is set back, so
 * that no wait is prolonged by hours.
 */
export function openMonotonicTime({ now }: Pick<Clock, 'now'>): () => number {
  let latest = now();
  let setBackBy = 0;
  return () => {
    const present = now() + setBackBy;
    if (present < latest) setBackBy += latest - present;
    else latest = present;
    return latest;
  };
}

/** Epoch ms of a time written by a person: ISO 8601 (UTC unless it has a zone) or Unix seconds; null when invalid. */
export function parseTime(text: string): number | null {
  if (/^\d{1,11}$/.test(text)) return Number(text) * seconds;
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(
    text,
  );
  if (!match) return null;
  const [, date, time = '00:00', zone = 'Z'] = match;
  const at = Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(at) ? null : at;
}

/** Times in contract JSON are Unix seconds. */
export const toUnixSeconds = (epochMs: number): number => Math.floor(epochMs / 1000);

/** Epoch ms at which the month of UTC of that moment began. */
export function startOfMonth(epochMs: number): number {
  const date = new Date(epochMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
