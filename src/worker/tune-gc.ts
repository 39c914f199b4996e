// Bounds the garbage of a process with very many jobs in flight.
import { setFlagsFromString } from 'node:v8';

/** From this many jobs in flight on, they are most of the heap. */
export const gcTuningMinJobs = 10_000;

/**
 * By default V8 lets the heap grow to several times its live size before a full collection; with very many jobs in
 * flight that is hundreds of megabytes of poll responses. From now on it collects after 40 % of growth.
 */
export function tuneGc(): void {
  setFlagsFromString('--heap-growing-percent=40');
}
