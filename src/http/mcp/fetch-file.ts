import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { seconds } from '../../domain/clock.ts';
import { maxUploadBytes } from '../../domain/file.ts';
import type { Outbound } from '../../media/connect.ts';
import { fetchMedia } from '../../media/fetch-media.ts';
import { ToolFailed } from './tool.ts';

/** Fetches what an address holds, lends it as a local file, and removes that afterwards. `share` is who asked. */
export type FetchFile = <T>(
  url: string,
  signal: AbortSignal,
  use: (path: string) => Promise<T>,
  share?: string,
) => Promise<T>;

const timeoutMs = 30 * seconds;
/** So that fetched files take no more of the disk than this many largest ones. */
const maxAtOnce = 4;

export function openFetchFile(outbound: Outbound, folder: string): FetchFile {
  let atOnce = 0;
  return async (url, signal, use, share) => {
    if (atOnce >= maxAtOnce)
      throw new ToolFailed('Too many files are being fetched.', { next: 'Try again in 10 seconds.' });
    atOnce++;
    try {
      return await within(folder, async directory => {
        const limits = {
          maxBytes: maxUploadBytes,
          timeoutMs,
          signal,
          directory,
          ...(share !== undefined && { share }),
        };
        const fetched = await fetchMedia(outbound, url, limits);
        if (fetched.kind === 'refused') throw new ToolFailed(`url: ${fetched.reason}`);
        return use(fetched.path);
      });
    } finally {
      atOnce--;
    }
  };
}

async function within<T>(folder: string, work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(folder, 'fetched-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
