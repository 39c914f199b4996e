/** Download of a URL into a local file, for the upload tool. */

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { seconds } from '../../domain/clock.ts';
import { openFairQueue, QueueFull } from '../../domain/fair-queue.ts';
import { maxUploadBytes } from '../../domain/file.ts';
import { fetchMedia } from '../../media/fetch-media.ts';
import type { Outbound } from '../../media/outbound.ts';
import { ToolFailed } from './tool-failed.ts';

/** Downloads a URL, passes it on as a local file, and removes that afterwards. */
export type FetchFile = <T>(
  url: string,
  signal: AbortSignal,
  use: (path: string) => Promise<T>,
) => Promise<T>;

/** The same for each caller; keys take fair turns. */
export type FetchFileFor = (key: string) => FetchFile;

/** For the whole file; the caller of a tool waits for it. */
const timeoutMs = 30 * seconds;
/** So that fetched files take no more of the disk than eight largest ones, and no key has all the places. */
const limits = { running: 8, runningPerShare: 2, waiting: 64, waitingPerShare: 4 };

/** `folder`: where downloads are stored while they are used. */
export function openFetchFile(outbound: Outbound, folder: string): FetchFileFor {
  const turns = openFairQueue<string>(limits);
  return key => async (url, signal, use) => {
    const fetchAndUse = () =>
      withTempDirectory(folder, async directory => {
        const bounds = { share: key, maxBytes: maxUploadBytes, timeoutMs, signal, directory };
        const fetched = await fetchMedia(outbound, url, bounds);
        if (fetched.kind === 'refused') throw new ToolFailed(`url: ${fetched.reason}`);
        return use(fetched.path);
      });
    try {
      return await turns.run(key, fetchAndUse, signal);
    } catch (cause) {
      if (!(cause instanceof QueueFull)) throw cause;
      throw new ToolFailed('Too many files are being fetched.', { next: 'Try again in 10 seconds.', cause });
    }
  };
}

/** Runs `work` with a new directory, and removes it afterwards. */
async function withTempDirectory<T>(folder: string, work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(folder, 'fetched-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
