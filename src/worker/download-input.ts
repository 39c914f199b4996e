import { seconds } from '../domain/clock.ts';
import { retryAfterMs } from '../domain/delivery.ts';
import { type FetchedMedia, type FetchRefused, fetchMedia } from '../media/fetch-media.ts';
import type { WorkerContext } from './context.ts';

const fetchTimeoutMs = 60 * seconds;
/** Decisions 9: three tries, the second after 1 s, the third 4 s later, each wait a fifth shorter or longer. */
const retryDelaysMs = [1 * seconds, 4 * seconds];
const jitter = 0.2;
/** An address that asks for more patience than this is not waited for: the job would hold its place meanwhile. */
const longestWaitMs = 60 * seconds;

export interface DownloadLimits {
  readonly maxBytes: number;
  /** Where the file is written; it must exist. */
  readonly folder: string;
  /** Ends the fetch and the wait for the next try. */
  readonly signal: AbortSignal;
  /** Whose job it is. */
  readonly share: string;
}

/** What an address of a request holds, as a local file, or why it could not be had; what may pass is tried again. */
export async function downloadInput(
  { outbound, clock }: Pick<WorkerContext, 'outbound' | 'clock'>,
  url: string,
  { maxBytes, folder, signal, share }: DownloadLimits,
): Promise<FetchedMedia> {
  const limits = { share, maxBytes, timeoutMs: fetchTimeoutMs, directory: folder, signal };
  for (let tries = 0; ; tries++) {
    const fetched = await fetchMedia(outbound, url, limits);
    if (fetched.kind === 'fetched') return fetched;
    const waitMs = waitBeforeNext(fetched, tries, clock.now());
    if (waitMs === null || signal.aborted) return fetched;
    await clock.sleep(waitMs, signal);
    if (signal.aborted) return fetched;
  }
}

/** Null where another try is of no use, or there were enough. */
function waitBeforeNext(refused: FetchRefused, tries: number, now: number): number | null {
  const usualMs = retryDelaysMs[tries];
  if (refused.why !== 'transient' || usualMs === undefined) return null;
  const jitteredMs = usualMs * (1 - jitter + 2 * jitter * Math.random());
  const waitMs = Math.max(jitteredMs, retryAfterMs(refused.retryAfter, now));
  return waitMs > longestWaitMs ? null : waitMs;
}
