/** Derives keys of passwords in worker threads, so that a derivation blocks neither the event loop nor libuv's pool. */
import { seconds } from '../domain/clock.ts';
import { openWorkerThreads } from '../domain/worker-threads.ts';
import type { Derivation, DerivationReport } from './password-worker.ts';

export interface Deriver {
  /** Rejects when it timed out, when its thread crashed, and after `close`. */
  derive(derivation: Derivation): Promise<Buffer>;
  /** Terminates the threads at once and rejects what runs and waits. */
  close(): Promise<void>;
}

/** Derivations that run at once; each uses 128 MB by the default cost. */
export const maxDerivations = 2;
const derivationTimeoutMs = 30 * seconds;
const idleTimeoutMs = 60 * seconds;
/** Of the heap: the memory of scrypt is outside. */
const maxHeapMb = 64;

export function openDeriver(): Deriver {
  const threads = openWorkerThreads<Derivation, Exclude<DerivationReport, { kind: 'ready' }>>({
    purpose: 'passwords',
    module: new URL('./password-worker.ts', import.meta.url),
    maxThreads: maxDerivations,
    taskTimeoutMs: derivationTimeoutMs,
    maxHeapMb,
    idleTimeoutMs,
  });
  return {
    derive: async derivation => Buffer.from((await threads.run(derivation)).key),
    close: () => threads.close(),
  };
}
