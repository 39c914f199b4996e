/** Ctrl-C, while something is waited for. */
export interface Interrupts {
  /** Aborts with the first. */
  readonly signal: AbortSignal;
  /** Whether a second one comes in the moments after. */
  waitForSecond(): Promise<boolean>;
  close(): void;
}

const secondInterruptWindowMs = 2_000;

export function openInterrupts(): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const hear = () => (first.signal.aborted ? second : first).abort();
  process.on('SIGINT', hear);
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
    close: () => void process.off('SIGINT', hear),
  };
}
