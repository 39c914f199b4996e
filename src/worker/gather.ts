import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isForeign, isForeignAsset } from '../catalog/foreign-jobs.ts';
import type { MediaLimits } from '../catalog/media.ts';
import { brokenLimit } from '../catalog/media-limits.ts';
import type { Model, Reference } from '../catalog/model.ts';
import { seconds } from '../domain/clock.ts';
import { parseFileId } from '../domain/ids.ts';
import type { Job } from '../domain/job.ts';
import type { MediaFacts } from '../domain/media.ts';
import type { Pinned, ProviderTask } from '../domain/provider.ts';
import { fetchMedia } from '../media/fetch-media.ts';
import { onSpool } from '../media/receive.ts';
import { readFile } from '../store/files.ts';
import { findPinned, findReferredFile } from '../store/references.ts';
import type { WorkerParts } from './parts.ts';

const fetchTimeoutMs = 60 * seconds;
/** For a medium whose bytes the contract does not bound. */
const defaultMaxBytes = 512 * 1024 * 1024;

/** The media of an input as local files; a sentence where one cannot be had or breaks its bounds. */
export type Gathered =
  | {
      readonly kind: 'gathered';
      readonly media: ProviderTask['media'];
      readonly facts: ProviderTask['facts'];
      readonly pinned: ProviderTask['pinned'];
    }
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
  // What only its upstream knows is neither here nor anywhere on the web.
  const found = model.media(job.input).filter(({ value }) => !isForeignAsset(value));
  const all = model.references(job.input);
  // A draft is its input alone; a foreign job is known to its upstream alone.
  const references = all.filter(reference => reference.kind !== 'draft' && !isForeign(reference));
  const pinned = await pinnedOf(parts, all, job);
  if (found.length + references.length === 0) {
    return { gathered: { kind: 'gathered', media: {}, facts: {}, pinned }, drop: async () => {} };
  }
  const folder = join(parts.workFolder, randomUUID());
  await onSpool(mkdir(folder));
  const drop = () => rm(folder, { recursive: true, force: true });
  try {
    const media: Record<string, string> = {};
    const facts: Record<string, MediaFacts> = {};
    const refused = (path: string, reason: string): Gathering => ({
      gathered: { kind: 'refused', reason: `${path}: ${reason}` },
      drop,
    });
    for (const { path, value, limits } of found) {
      const brought = await bring(parts, value, { folder, limits, signal, known: media[value] });
      if (brought.kind === 'refused') return refused(path.join('.'), brought.reason);
      media[value] = brought.path;
      facts[path.join('.')] = brought.facts;
    }
    for (const reference of references) {
      const fileId = await findReferredFile(parts.db, reference, job.userId);
      if (!fileId) return refused(reference.path, 'what it points at is no longer there');
      const brought = await bring(parts, fileId, { folder, limits: null, signal, known: undefined });
      if (brought.kind === 'refused') return refused(reference.path, brought.reason);
      media[reference.id] = brought.path;
      facts[reference.path] = brought.facts;
    }
    const [fault] = model.mediaFaults(job.input, path => facts[path] ?? null);
    if (fault) return refused(fault.path, fault.reason);
    return { gathered: { kind: 'gathered', media, facts, pinned }, drop };
  } catch (failure) {
    await drop();
    throw failure;
  }
}

/** What earlier jobs that the input points at are called where they were made. */
async function pinnedOf(
  { db }: WorkerParts,
  references: readonly Reference[],
  { userId }: Job,
): Promise<ProviderTask['pinned']> {
  const pinned: Record<string, Pinned> = {};
  for (const reference of references) {
    const found = await findPinned(db, reference, userId);
    if (found) pinned[reference.path] = found;
  }
  return pinned;
}

type Brought =
  | { readonly kind: 'brought'; readonly path: string; readonly facts: MediaFacts }
  | { readonly kind: 'refused'; readonly reason: string };

interface BringOptions {
  readonly folder: string;
  /** Null where nothing but readability is asked. */
  readonly limits: MediaLimits | null;
  readonly signal: AbortSignal;
  /** Where the same medium already lies, when it is named twice. */
  readonly known: string | undefined;
}

/** The local file and what it holds, or why it is not taken. */
async function bring(
  parts: WorkerParts,
  value: string,
  { folder, limits, signal, known }: BringOptions,
): Promise<Brought> {
  const maxBytes = limits?.maxBytes ?? defaultMaxBytes;
  const path = known ?? (await copyOrFetch(parts, value, { folder, maxBytes, signal }));
  if (typeof path !== 'string') return { kind: 'refused', ...path };
  const probe = await parts.prober.probe(path);
  if (probe.kind === 'unreadable')
    return { kind: 'refused', reason: 'what the address holds cannot be read as a medium' };
  const fault = limits && brokenLimit(probe.facts, limits);
  return fault ? { kind: 'refused', reason: fault } : { kind: 'brought', path, facts: probe.facts };
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
  const content = file && (await parts.blobs.open(file.blobKey, undefined, file.bytes));
  if (!content) return { reason: 'the file is no longer there' };
  const path = join(folder, randomUUID());
  await onSpool(pipeline(content, createWriteStream(path, { flags: 'wx' })));
  return path;
}
