import type { Probe } from './probe-worker.ts';

/**
 * Gives what is known of these bytes, or what `read` finds: bytes that were read lately are not read again for the
 * same share. Rejects as `read` does, or when the signal is aborted.
 */
export type ProbeCache = (
  bytes: ProbeCacheKey,
  read: () => Promise<Probe>,
  signal?: AbortSignal,
) => Promise<Probe>;

export interface ProbeCacheKey {
  /** Nothing is remembered for others: how long a look takes must not tell what somebody else sent. */
  readonly share: string;
  readonly sha256: string;
}

export interface ProbeCacheOptions {
  /** How many answers are remembered. */
  readonly maxEntries: number;
  readonly isCacheable: (probe: Probe) => boolean;
}

export function openProbeCache({ maxEntries, isCacheable }: ProbeCacheOptions): ProbeCache {
  // Insertion order is the order of use: what was not asked for longest is forgotten first.
  const known = new Map<string, Probe>();
  const reading = new Map<string, Promise<Probe | null>>();

  function remember(name: string, probe: Probe): void {
    known.delete(name);
    known.set(name, probe);
    const [oldest] = known.keys();
    if (known.size > maxEntries && oldest !== undefined) known.delete(oldest);
  }

  return async ({ share, sha256 }, read, signal) => {
    const name = `${share} ${sha256}`;
    for (let other = reading.get(name); other; other = reading.get(name)) {
      // Null: whoever read was refused or went away, and now it is somebody else's turn.
      const probe = await rejectOnAbort(other, signal);
      if (probe) return probe;
    }
    const found = known.get(name);
    if (found) {
      remember(name, found);
      return found;
    }
    const begun = read();
    const shared = begun.catch(() => null).finally(() => reading.delete(name));
    reading.set(name, shared);
    const probe = await begun;
    if (isCacheable(probe)) remember(name, probe);
    return probe;
  };
}

function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const leave = () => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', leave));
}
