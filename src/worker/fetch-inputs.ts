import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isForeign, isForeignAsset } from '../catalog/foreign-jobs.ts';
import type { MediaLimits } from '../catalog/media.ts';
import { brokenLimit } from '../catalog/media-limits.ts';
import type { Model } from '../catalog/model.ts';
import { type KeyId, parseFileId } from '../domain/ids.ts';
import type { Job } from '../domain/job.ts';
import type { KnownFacts, MediaFacts } from '../domain/media.ts';
import type { Pinned, ProviderTask } from '../domain/provider.ts';
import type { Reference } from '../domain/reference.ts';
import type { FetchRefused } from '../media/fetch-media.ts';
import { storableFacts } from '../media/prober.ts';
import { orSpoolUnavailable } from '../media/spool-file.ts';
import { readFile, writeFacts } from '../store/files/files.ts';
import { resolvePinned, resolveReferenceFile } from '../store/jobs/references.ts';
import type { WorkerContext } from './context.ts';
import { downloadInput } from './download-input.ts';

/** For a medium whose bytes the contract does not bound. */
const defaultMaxBytes = 512 * 1024 * 1024;

/** The media of an input as local files; a sentence where one cannot be had or breaks its bounds. */
export type InputsResult =
  | {
      readonly kind: 'gathered';
      readonly media: ProviderTask['media'];
      readonly facts: ProviderTask['facts'];
      readonly pinned: ProviderTask['pinned'];
    }
  | ({ readonly kind: 'refused' } & InputRefused);

/** Why a medium of an input is not taken. */
export interface InputRefused {
  /** A sentence for the client. */
  readonly reason: string;
  /** `file_invalid`: it is here, and it breaks a rule of the model. */
  readonly code: 'file_download_error' | 'file_invalid';
  /** Whether the same address may give it another time. */
  readonly retryable: boolean;
}

const missing = (reason: string): InputRefused => ({ reason, code: 'file_download_error', retryable: false });
const invalid = (reason: string): InputRefused => ({ reason, code: 'file_invalid', retryable: false });

export interface FetchedInputs {
  readonly result: InputsResult;
  /** Removes the local files. */
  drop(): Promise<void>;
}

/** Brings every medium of a job to this machine, before anything is paid. */
export async function fetchInputs(
  parts: WorkerContext,
  model: Model,
  job: Job,
  signal: AbortSignal,
): Promise<FetchedInputs> {
  const share = job.userId;
  // What only its upstream knows is neither here nor anywhere on the web.
  const found = model.media(job.input).filter(({ value }) => !isForeignAsset(value));
  const all = model.references(job.input);
  // A draft is its input alone; a foreign job is known to its upstream alone.
  const references = all.filter(reference => reference.kind !== 'draft' && !isForeign(reference));
  const pinned = await pinnedOf(parts, all, job);
  if (found.length + references.length === 0) {
    return { result: { kind: 'gathered', media: {}, facts: {}, pinned }, drop: async () => {} };
  }
  const folder = join(parts.workDir, randomUUID());
  await orSpoolUnavailable(mkdir(folder));
  const drop = () => rm(folder, { recursive: true, force: true });
  try {
    const media: Record<string, string> = {};
    const facts: Record<string, MediaFacts> = {};
    const fetched = new Map<string, LocalInput>();
    const asked = { folder, signal, share, keyId: job.keyId, fetched };
    const refused = (path: string, { reason, ...why }: InputRefused): FetchedInputs => ({
      result: { kind: 'refused', reason: `${path}: ${reason}`, ...why },
      drop,
    });
    for (const { path, value, limits } of found) {
      const brought = await fetchOne(parts, value, { ...asked, limits });
      if (brought.kind === 'refused') return refused(path.join('.'), brought);
      media[value] = brought.path;
      facts[path.join('.')] = brought.facts;
    }
    for (const reference of references) {
      const fileId = await resolveReferenceFile(parts.db, reference, job.userId);
      if (!fileId) return refused(reference.path, missing('what it points at is no longer there'));
      const brought = await fetchOne(parts, fileId, { ...asked, limits: null });
      if (brought.kind === 'refused') return refused(reference.path, brought);
      media[reference.id] = brought.path;
      facts[reference.path] = brought.facts;
    }
    const [fault] = model.mediaFaults(job.input, path => facts[path] ?? null);
    if (fault) return refused(fault.path, invalid(fault.reason));
    return { result: { kind: 'gathered', media, facts, pinned }, drop };
  } catch (failure) {
    await drop();
    throw failure;
  }
}

/** What earlier jobs that the input points at are called where they were made. */
async function pinnedOf(
  { db }: WorkerContext,
  references: readonly Reference[],
  { userId }: Job,
): Promise<ProviderTask['pinned']> {
  const pinned: Record<string, Pinned> = {};
  for (const reference of references) {
    const found = await resolvePinned(db, reference, userId);
    if (found) pinned[reference.path] = found;
  }
  return pinned;
}

type InputResult =
  | { readonly kind: 'brought'; readonly path: string; readonly facts: MediaFacts }
  | ({ readonly kind: 'refused' } & InputRefused);

interface FetchOptions {
  readonly folder: string;
  /** Null where nothing but readability is asked. */
  readonly limits: MediaLimits | null;
  readonly signal: AbortSignal;
  /** The user whose job it is. */
  readonly share: string;
  /** The key whose job it is. */
  readonly keyId: KeyId;
  /** What was brought before: a medium that is named twice is brought and probed once. */
  readonly fetched: Map<string, LocalInput>;
}

/** A medium on this machine, and what it holds. */
interface LocalInput {
  readonly path: string;
  readonly facts: KnownFacts;
}

/** The local file and what it holds, or why it is not taken. */
async function fetchOne(parts: WorkerContext, value: string, options: FetchOptions): Promise<InputResult> {
  const { limits, fetched } = options;
  const found = fetched.get(value) ?? (await copyOrFetch(parts, value, options));
  if ('reason' in found) return { kind: 'refused', ...found };
  fetched.set(value, found);
  const { path, facts } = found;
  if (limits?.otherFormats && (facts === 'unreadable' || !facts.video))
    return checkOtherFormat(parts, path, limits);
  if (facts === 'unreadable')
    return { kind: 'refused', ...invalid('what the address holds cannot be read as a medium') };
  return checkLimits(path, facts, limits);
}

function checkLimits(path: string, facts: MediaFacts, limits: MediaLimits | null): InputResult {
  const fault = limits && brokenLimit(facts, limits);
  return fault ? { kind: 'refused', ...invalid(fault) } : { kind: 'brought', path, facts };
}

/**
 * Contract 2.10: any video. Where the engine that could read it is not installed, the upstream judges it; the
 * local engine never sees it, since it is that same engine.
 */
async function checkOtherFormat(
  { probeVideo }: WorkerContext,
  path: string,
  limits: MediaLimits,
): Promise<InputResult> {
  const { size: bytes } = await stat(path);
  const facts = { mimeType: 'application/octet-stream', bytes };
  const video = await probeVideo(path);
  if (video === null) return { kind: 'brought', path, facts };
  if (video !== 'unreadable') return checkLimits(path, { ...facts, video }, limits);
  return { kind: 'refused', ...invalid('what the address holds cannot be read as a video') };
}

async function copyOrFetch(
  parts: WorkerContext,
  value: string,
  { folder, limits, signal, share, keyId }: FetchOptions,
): Promise<LocalInput | InputRefused> {
  const asker = { share: keyId, kind: 'job' } as const;
  const fileId = parseFileId(value);
  if (!fileId) {
    const maxBytes = limits?.maxBytes ?? defaultMaxBytes;
    const fetched = await downloadInput(parts, value, { maxBytes, folder, signal, share });
    if (fetched.kind === 'refused') return refusalOf(fetched);
    const { path, sha256 } = fetched;
    const probe = await parts.prober.probe(path, { ...asker, sha256 });
    return { path, facts: storableFacts(probe) ?? 'unreadable' };
  }
  // That the file is the user's was judged at the door.
  const file = await readFile(parts.db, fileId, parts.clock.now());
  const content = file && (await parts.blobs.open(file.blobKey, undefined, file.bytes));
  if (!content) return missing('the file is no longer there');
  const path = join(folder, randomUUID());
  await orSpoolUnavailable(pipeline(content, createWriteStream(path, { flags: 'wx' })));
  if (file.facts) return { path, facts: file.facts };
  const { sha256 } = file;
  const facts = storableFacts(await parts.prober.probe(path, { ...asker, sha256 }));
  if (facts) await writeFacts(parts.db, fileId, facts);
  return { path, facts: facts ?? 'unreadable' };
}

/** Decisions 9: what may pass is worth another job; what breaks a rule of the model never is. */
const refusalOf = ({ reason, why }: FetchRefused): InputRefused =>
  why === 'content' ? invalid(reason) : { ...missing(reason), retryable: why === 'transient' };
