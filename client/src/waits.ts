/** Timeouts and pauses that an AbortSignal ends. */

/** A signal with an end of its own. */
export interface Limited {
  readonly signal: AbortSignal;
  /** Must be called, or the timer and the listener live on. */
  end(): void;
}

/** A longer timer would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Aborts with the caller's signal, or by itself after `ms`, then with a TimeoutError as its reason. */
export function limited(signal: AbortSignal | undefined, ms: number): Limited {
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener('abort', follow, { once: true });
  const expire = () => controller.abort(new DOMException(`${ms} ms have passed`, 'TimeoutError'));
  const timer = setTimeout(expire, Math.min(ms, longestTimerMs));
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', follow);
    },
  };
}

export const isTimeout = (reason: unknown): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError';

/** Resolves after `ms`, or at once when the signal aborts: whoever goes on looks at it. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake, { once: true });
    function wake() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    }
  });
}

/** A wait that many clients who began together do not end together: half of it to the whole. */
export const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2);
