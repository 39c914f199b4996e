/** Polls the status of a job until it ends. */

import type { JobStatus } from './bodies.ts';
import type { CallOptions } from './exchange.ts';
import { jittered, pause } from './waits.ts';

/** Pauses between polls: at first `minMs`, then longer and longer up to `maxMs`. */
export interface Poll {
  /** Default: 1,000. */
  readonly minMs?: number;
  /** Default: 10,000. */
  readonly maxMs?: number;
}

/** Options of a watch. */
export interface WatchOptions extends CallOptions {
  readonly poll?: Poll;
  readonly logs?: boolean;
}

/** A status, with the headers of its answer. */
interface StatusAnswer {
  readonly status: JobStatus;
  readonly headers: Headers;
}

/** Of the pause between two requests. */
const growth = 1.5;
/** Longest wait that the protocol allows. */
const maxWaitSeconds = 60;

/**
 * Yields every change of a status; the last one is COMPLETED. The gateway delays its answer until the status changes or
 * the pause is over (`Prefer: wait`); the client pauses itself where a proxy does not allow that.
 */
export async function* watchJob(
  askStatus: (options: StatusOptions) => Promise<StatusAnswer>,
  { poll = {}, logs = false, signal }: WatchOptions,
): AsyncGenerator<JobStatus, void, undefined> {
  const { minMs = 1_000, maxMs = 10_000 } = poll;
  let seen: JobStatus | null = null;
  let waitMs = minMs;
  for (;;) {
    const requestedAt = performance.now();
    const waitSeconds = Math.min(maxWaitSeconds, Math.max(1, Math.round(waitMs / 1000)));
    // The first status is read without delay.
    const { status, headers } = await askStatus({ logs, signal, ...(seen && { waitSeconds }) });
    const isNews = JSON.stringify(status) !== JSON.stringify(seen);
    if (isNews) yield status;
    if (status.status === 'COMPLETED') return;
    waitMs = status.status === seen?.status ? Math.min(maxMs, waitMs * growth) : minMs;
    const isFirst = seen === null;
    seen = status;
    if (isFirst) continue;
    const hasWaited = headers.has('preference-applied');
    if (hasWaited && isNews) continue;
    const retryAfterMs = hasWaited ? 0 : secondsIn(headers.get('retry-after')) * 1000;
    const restMs = Math.max(jittered(waitMs), retryAfterMs) - (performance.now() - requestedAt);
    if (restMs > 0) await pause(restMs, signal);
  }
}

/** `Retry-After` in seconds; 0 where it is absent or a date. */
const secondsIn = (header: string | null): number => (/^\d{1,5}$/.test(header ?? '') ? Number(header) : 0);

/** Options of one read of a status. */
export interface StatusOptions extends CallOptions {
  /** Also returns the log lines of the job so far. */
  readonly logs?: boolean;
  /** Delays the answer until the status changes or so many seconds pass; at most 60. */
  readonly waitSeconds?: number;
}
