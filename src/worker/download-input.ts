// Downloads a medium that an input names by URL, with retries for transient failures.
import { seconds } from '../domain/clock.ts';
import { retryAfterMs } from '../domain/delivery-retry.ts';
import { type FetchedMedia, type FetchRefused, fetchMedia } from '../media/fetch-media.ts';
import type { WorkerContext } from './context.ts';

/** For one attempt. */
const fetchTimeoutMs = 60 * seconds;
/** Decisions 9: three attempts, the second after 1 s, the third 4 s later, each wait up to a fifth shorter or longer. */
const retryDelaysMs = [1 * seconds, 4 * seconds];
const jitter = 0.2;
/** A longer `retry-after` ends the job: it would occupy its slot meanwhile. */
const longestWaitMs = 60 * seconds;

/** Bounds of one medium, and where it goes. */
export interface DownloadLimits {
  readonly maxBytes: number;
  /** The existing folder that the file is written to. */
  readonly folder: string;
  /** Aborts the download and the wait for the next attempt. */
  readonly signal: AbortSignal;
  /** The user of the job, among whom connections are shared fairly. */
  readonly share: string;
}

/** The content of a URL as a local file, or the refusal of the last attempt. */
export async function downloadInput(
  { outbound, clock }: Pick<WorkerContext, 'outbound' | 'clock'>,
  url: string,
  { maxBytes, folder, signal, share }: DownloadLimits,
): Promise<FetchedMedia> {
  const limits = { share, maxBytes, timeoutMs: fetchTimeoutMs, directory: folder, signal };
  for (let retries = 0; ; retries++) {
    const fetched = await fetchMedia(outbound, url, limits);
    if (fetched.kind === 'fetched') return fetched;
    const waitMs = retryDelayMs(fetched, retries, clock.now());
    if (waitMs === null || signal.aborted) return fetched;
    await clock.sleep(waitMs, signal);
    if (signal.aborted) return fetched;
  }
}

/** Null where the failure is not transient, the attempts are used up, or the server asks for too long a wait. */
function retryDelayMs(refused: FetchRefused, retries: number, now: number): number | null {
  const usualMs = retryDelaysMs[retries];
  if (refused.why !== 'transient' || usualMs === undefined) return null;
  const jitteredMs = usualMs * (1 - jitter + 2 * jitter * Math.random());
  const waitMs = Math.max(jitteredMs, retryAfterMs(refused.retryAfter, now));
  return waitMs > longestWaitMs ? null : waitMs;
}
