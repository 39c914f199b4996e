/** Timeouts and pauses that an AbortSignal ends. */

/** A signal with a timeout. */
export interface Limited {
  readonly signal: AbortSignal;
  /** Removes the timer and the listener; must be called. */
  end(): void;
}

/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Aborts with the caller's signal, or by itself after `ms`, then with a TimeoutError as its reason. */
export function limited(signal: AbortSignal | undefined, ms: number): Limited {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const expire = () => controller.abort(new DOMException(`${ms} ms have passed`, 'TimeoutError'));
  const timer = setTimeout(expire, Math.min(ms, longestTimerMs));
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

/** Whether the reason of an abort is a timeout. */
export const isTimeout = (reason: unknown): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError';

/** Resolves after `ms`, or at once when the signal aborts: the caller checks it. */
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

/** Between half of `ms` and all of it, so that clients do not retry at the same time. */
export const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2);
