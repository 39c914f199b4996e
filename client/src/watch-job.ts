/** Polls the status of a job until it ends. */

import type { JobStatus } from './bodies.ts';
import type { CallOptions } from './exchange.ts';
import { jittered, pause } from './waits.ts';

/** How often a status is asked for: at first every `minMs`, then more and more seldom up to `maxMs`. */
export interface Poll {
  /** 1,000 unless told. */
  readonly minMs?: number;
  /** 10,000 unless told. */
  readonly maxMs?: number;
}

export interface WatchOptions extends CallOptions {
  readonly poll?: Poll;
  readonly logs?: boolean;
}

/** A status, and what its answer said beside it. */
interface Asked {
  readonly status: JobStatus;
  readonly headers: Headers;
}

const growth = 1.5;
/** Of the protocol. */
const longestHoldSeconds = 60;

/**
 * The pause between two answers is spent at the gateway, which answers at once when the status changes; here
 * only where something between does not hold. The last status is COMPLETED, whatever came of the job.
 */
export async function* watchJob(
  askStatus: (options: StatusOptions) => Promise<Asked>,
  { poll = {}, logs = false, signal }: WatchOptions,
): AsyncGenerator<JobStatus, void, undefined> {
  const { minMs = 1_000, maxMs = 10_000 } = poll;
  let seen: JobStatus | null = null;
  let waitMs = minMs;
  for (;;) {
    const askedAt = performance.now();
    const waitSeconds = Math.min(longestHoldSeconds, Math.max(1, Math.round(waitMs / 1000)));
    // The first answer is wanted now.
    const { status, headers } = await askStatus({ logs, signal, ...(seen && { waitSeconds }) });
    const isNews = JSON.stringify(status) !== JSON.stringify(seen);
    if (isNews) yield status;
    if (status.status === 'COMPLETED') return;
    waitMs = status.status === seen?.status ? Math.min(maxMs, waitMs * growth) : minMs;
    const isFirst = seen === null;
    seen = status;
    if (isFirst) continue;
    const isHeld = headers.has('preference-applied');
    if (isHeld && isNews) continue;
    const retryAfterMs = isHeld ? 0 : secondsIn(headers.get('retry-after')) * 1000;
    const restMs = Math.max(jittered(waitMs), retryAfterMs) - (performance.now() - askedAt);
    if (restMs > 0) await pause(restMs, signal);
  }
}

const secondsIn = (header: string | null): number => (/^\d{1,5}$/.test(header ?? '') ? Number(header) : 0);

export interface StatusOptions extends CallOptions {
  /** Also what happened to the job until now. */
  readonly logs?: boolean;
  /** Holds the answer until the status changes or so many seconds pass; at most 60. */
  readonly waitSeconds?: number;
}
