/** Caches probes of files by the hash of their bytes, separately for each share. */
import type { Probe } from './probe-worker.ts';

/**
 * Returns the cached probe of these bytes, or calls `read`; concurrent callers of one share wait for one read. Rejects
 * as `read` does, or when the signal aborts.
 */
export type ProbeCache = (
  bytes: ProbeCacheKey,
  read: () => Promise<Probe>,
  signal?: AbortSignal,
) => Promise<Probe>;

/** Identifies bytes within a share. */
export interface ProbeCacheKey {
  /** Shares have separate entries, so that the response time does not reveal what others sent. */
  readonly share: string;
  readonly sha256: string;
}

export interface ProbeCacheOptions {
  /** Maximum number of entries. */
  readonly maxEntries: number;
  readonly isCacheable: (probe: Probe) => boolean;
}

export function openProbeCache({ maxEntries, isCacheable }: ProbeCacheOptions): ProbeCache {
  // Insertion order is the order of use: the least recently used entry is dropped first.
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
      // Null: that read was refused or aborted, so this caller reads, unless another one already does.
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
