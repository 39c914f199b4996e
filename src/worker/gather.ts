import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FoundMedia } from '../catalog/media.ts';
import { brokenLimit } from '../catalog/media-limits.ts';
import type { Model } from '../catalog/model.ts';
import { seconds } from '../domain/clock.ts';
import { parseFileId } from '../domain/ids.ts';
import type { Job } from '../domain/job.ts';
import { fetchMedia } from '../media/fetch-media.ts';
import { readFile } from '../store/files.ts';
import type { WorkerParts } from './parts.ts';

const fetchTimeoutMs = 60 * seconds;
/** For a medium whose bytes the contract does not bound. */
const defaultMaxBytes = 512 * 1024 * 1024;

/** The media of an input as local files; a sentence where one cannot be had or breaks its bounds. */
export type Gathered =
  | { readonly kind: 'gathered'; readonly media: Readonly<Record<string, string>> }
  | { readonly kind: 'refused'; readonly reason: string };

export interface Gathering {
  readonly gathered: Gathered;
  /** Removes the local files. */
  drop(): Promise<void>;
}

/** Brings every medium of a job to this machine, before anything is paid. */
export async function gatherMedia(
  parts: WorkerParts,
  model: Model,
  job: Job,
  signal: AbortSignal,
): Promise<Gathering> {
  const found = model.media(job.input);
  if (found.length === 0) return { gathered: { kind: 'gathered', media: {} }, drop: async () => {} };
  const folder = join(parts.workFolder, randomUUID());
  await mkdir(folder);
  const drop = () => rm(folder, { recursive: true, force: true });
  try {
    const media: Record<string, string> = {};
    for (const medium of found) {
      const brought = media[medium.value] ?? (await bring(parts, medium, folder, signal));
      if (typeof brought !== 'string') {
        return { gathered: { kind: 'refused', reason: `${medium.path.join('.')}: ${brought.reason}` }, drop };
      }
      media[medium.value] = brought;
    }
    return { gathered: { kind: 'gathered', media }, drop };
  } catch (failure) {
    await drop();
    throw failure;
  }
}

/** The local path, or why not. */
async function bring(
  parts: WorkerParts,
  { value, limits }: FoundMedia,
  folder: string,
  signal: AbortSignal,
): Promise<string | { readonly reason: string }> {
  const path = await copyOrFetch(parts, value, {
    folder,
    maxBytes: limits.maxBytes ?? defaultMaxBytes,
    signal,
  });
  if (typeof path !== 'string') return path;
  const probe = await parts.prober.probe(path);
  if (probe.kind === 'unreadable') return { reason: 'what the address holds cannot be read as a medium' };
  const fault = brokenLimit(probe.facts, limits);
  return fault === null ? path : { reason: fault };
}

async function copyOrFetch(
  parts: WorkerParts,
  value: string,
  { folder, maxBytes, signal }: { folder: string; maxBytes: number; signal: AbortSignal },
): Promise<string | { readonly reason: string }> {
  const fileId = parseFileId(value);
  if (!fileId) {
    const fetched = await fetchMedia(parts.outbound, value, {
      maxBytes,
      timeoutMs: fetchTimeoutMs,
      directory: folder,
      signal,
    });
    return fetched.kind === 'fetched' ? fetched.path : fetched;
  }
  // That the file is the user's was judged at the door.
  const file = await readFile(parts.db, fileId, parts.clock.now());
  const content = file && (await parts.blobs.open(file.blobKey));
  if (!content) return { reason: 'the file is no longer there' };
  const path = join(folder, randomUUID());
  await pipeline(content, createWriteStream(path, { flags: 'wx' }));
  return path;
}
