/** Ctrl-C during a wait: the first ends the wait, a second one soon after it is an answer to a question. */

/** Listens for SIGINT from its opening until it is closed. */
export interface Interrupts {
  /** Aborts with the first interrupt. */
  readonly signal: AbortSignal;
  /** Whether a second interrupt comes within two seconds. */
  waitForSecond(): Promise<boolean>;
  /** Stops listening. */
  close(): void;
}

/** Long enough to press Ctrl-C again on purpose. */
const secondInterruptWindowMs = 2_000;

/** While it is open, SIGINT does not end the process. */
export function openInterrupts(): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const onInterrupt = () => (first.signal.aborted ? second : first).abort();
  process.on('SIGINT', onInterrupt);
  return {
    signal: first.signal,
    waitForSecond: () =>
      new Promise(resolve => {
        if (second.signal.aborted) return resolve(true);
        const timer = setTimeout(() => resolve(false), secondInterruptWindowMs);
        second.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve(true);
        });
      }),
    close: () => void process.off('SIGINT', onInterrupt),
  };
}
