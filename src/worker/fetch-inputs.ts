// Fetches the media of a job's input into local files and probes them, before anything is submitted or paid.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isForeign, isForeignAsset } from '../catalog/foreign-jobs.ts';
import type { MediaLimits } from '../catalog/media.ts';
import { brokenLimit } from '../catalog/media-limits.ts';
import type { Model } from '../catalog/model.ts';
import { type FileId, parseFileId } from '../domain/ids.ts';
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

/** Largest medium where the contract names no bound. */
const defaultMaxBytes = 512 * 1024 * 1024;

/** The media of an input as local files, with their facts, and what earlier jobs are called upstream. */
export type Inputs = Pick<ProviderTask, 'media' | 'facts' | 'pinned'>;

/** Of a job that an upstream has already: nothing is fetched again. */
export const noInputs: Inputs = { media: {}, facts: {}, pinned: {} };

/** All inputs, or why one of them cannot be used. */
export type InputsResult =
  | { readonly kind: 'fetched'; readonly inputs: Inputs }
  | ({ readonly kind: 'refused' } & InputRefused);

/** Why a medium of an input cannot be used. */
export interface InputRefused {
  /** A sentence for the client. */
  readonly reason: string;
  /** `file_invalid`: it was fetched, and it breaks a rule of the model. */
  readonly code: 'file_download_error' | 'file_invalid';
  /** Whether a new job with the same URL may succeed. */
  readonly retryable: boolean;
}

/** The file cannot be had; not retryable, unless the download failed by a transient error. */
const missing = (reason: string): InputRefused => ({ reason, code: 'file_download_error', retryable: false });
/** The file is there and breaks a rule. */
const invalid = (reason: string): InputRefused => ({ reason, code: 'file_invalid', retryable: false });

/** What ends with the job. */
export interface FetchInputsOptions {
  /** Aborts the downloads. */
  readonly signal: AbortSignal;
  /** Removes the local files when it is disposed of. */
  readonly cleanup: AsyncDisposableStack;
}

/** Fetch named media → fetch referenced files → check the rules of the model on what was probed. */
export async function fetchInputs(
  context: WorkerContext,
  model: Model,
  job: Job,
  { signal, cleanup }: FetchInputsOptions,
): Promise<InputsResult> {
  // An asset that only its upstream knows can be fetched neither here nor from the web.
  const named = model.media(job.input).filter(({ value }) => !isForeignAsset(value));
  const references = model.references(job.input);
  // A draft has no file, and a foreign job is known to its upstream alone.
  const referenced = references.filter(reference => reference.kind !== 'draft' && !isForeign(reference));
  const pinned = await findPinned(context, references, job);
  if (named.length + referenced.length === 0)
    return { kind: 'fetched', inputs: { media: {}, facts: {}, pinned } };
  const folder = join(context.workDir, randomUUID());
  await orSpoolUnavailable(mkdir(folder));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const fetching: Fetching = { context, job, folder, signal, files: new Map(), media: {}, facts: {} };
  const refused =
    (await fetchNamed(fetching, named)) ??
    (await fetchReferenced(fetching, referenced)) ??
    checkMediaRules(fetching, model);
  return refused ?? { kind: 'fetched', inputs: { media: fetching.media, facts: fetching.facts, pinned } };
}

/** The media of one job while they are fetched. */
interface Fetching {
  readonly context: WorkerContext;
  readonly job: Job;
  /** Where the local files are written. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** By their URL or file id: a medium that is named twice is fetched and probed once. */
  readonly files: Map<string, LocalInput>;
  /** The media and facts of the task, filled file by file. */
  readonly media: Record<string, string>;
  readonly facts: Record<string, MediaFacts>;
}

type InputsRefused = InputsResult & { readonly kind: 'refused' };

/** The sentence for the client begins with the field. */
const refusedAt = (path: string, { reason, code, retryable }: InputRefused): InputsRefused => ({
  kind: 'refused',
  reason: `${path}: ${reason}`,
  code,
  retryable,
});

/** Media that the input names by URL or file id. */
async function fetchNamed(
  fetching: Fetching,
  named: ReturnType<Model['media']>,
): Promise<InputsRefused | null> {
  for (const { path, value, limits } of named) {
    const fetched = await fetchOne(fetching, value, limits);
    if (fetched.kind === 'refused') return refusedAt(path.join('.'), fetched);
    fetching.media[value] = fetched.path;
    fetching.facts[path.join('.')] = fetched.facts;
  }
  return null;
}

/** Outputs of earlier jobs that the input refers to. */
async function fetchReferenced(
  fetching: Fetching,
  references: readonly Reference[],
): Promise<InputsRefused | null> {
  const { context, job } = fetching;
  for (const reference of references) {
    const fileId = await resolveReferenceFile(context.db, reference, job.userId);
    if (!fileId) return refusedAt(reference.path, missing('the referenced job or file no longer exists'));
    const fetched = await fetchOne(fetching, fileId, null);
    if (fetched.kind === 'refused') return refusedAt(reference.path, fetched);
    fetching.media[reference.id] = fetched.path;
    fetching.facts[reference.path] = fetched.facts;
  }
  return null;
}

/** Rules of the model between several media, or on media and other fields. */
function checkMediaRules({ job, facts }: Fetching, model: Model): InputsRefused | null {
  const [fault] = model.mediaFaults(job.input, path => facts[path] ?? null);
  return fault ? refusedAt(fault.path, invalid(fault.reason)) : null;
}

/** What the upstream calls the earlier jobs that the input refers to. */
async function findPinned(
  { db }: WorkerContext,
  references: readonly Reference[],
  { userId }: Job,
): Promise<Inputs['pinned']> {
  const pinned: Record<string, Pinned> = {};
  for (const reference of references) {
    const found = await resolvePinned(db, reference, userId);
    if (found) pinned[reference.path] = found;
  }
  return pinned;
}

type InputResult =
  | { readonly kind: 'fetched'; readonly path: string; readonly facts: MediaFacts }
  | ({ readonly kind: 'refused' } & InputRefused);

/** A local file, and what its probe found. */
interface LocalInput {
  readonly path: string;
  readonly facts: KnownFacts;
}

/** `limits` is null where the file only has to be readable. */
async function fetchOne(fetching: Fetching, value: string, limits: MediaLimits | null): Promise<InputResult> {
  const { context, files } = fetching;
  const found = files.get(value) ?? (await downloadOrCopy(fetching, value, limits));
  if ('reason' in found) return { kind: 'refused', ...found };
  files.set(value, found);
  const { path, facts } = found;
  if (limits?.otherFormats && (facts === 'unreadable' || !facts.video))
    return checkOtherFormat(context, path, limits);
  if (facts === 'unreadable')
    return { kind: 'refused', ...invalid('the content of the URL is not a readable media file') };
  return checkLimits(path, facts, limits);
}

/** Size, duration and dimensions that the contract allows for the field. */
function checkLimits(path: string, facts: MediaFacts, limits: MediaLimits | null): InputResult {
  const fault = limits && brokenLimit(facts, limits);
  return fault ? { kind: 'refused', ...invalid(fault) } : { kind: 'fetched', path, facts };
}

/**
 * Contract 2.10: any video. Where the engine that could read it is not installed, the upstream validates it; the
 * local engine never gets it, since it is that same engine.
 */
async function checkOtherFormat(
  { probeVideo }: WorkerContext,
  path: string,
  limits: MediaLimits,
): Promise<InputResult> {
  const { size: bytes } = await stat(path);
  const facts = { mimeType: 'application/octet-stream', bytes };
  const video = await probeVideo(path);
  if (video === null) return { kind: 'fetched', path, facts };
  if (video !== 'unreadable') return checkLimits(path, { ...facts, video }, limits);
  return { kind: 'refused', ...invalid('the content of the URL is not a readable video') };
}

/** A URL is downloaded; an uploaded file is copied from our blobs. */
function downloadOrCopy(
  fetching: Fetching,
  value: string,
  limits: MediaLimits | null,
): Promise<LocalInput | InputRefused> {
  const fileId = parseFileId(value);
  return fileId
    ? copyFile(fetching, fileId)
    : downloadUrl(fetching, value, limits?.maxBytes ?? defaultMaxBytes);
}

/** Downloads share connections by user, and probes by key, so that no other user waits. */
async function downloadUrl(
  { context, job, folder, signal }: Fetching,
  url: string,
  maxBytes: number,
): Promise<LocalInput | InputRefused> {
  const fetched = await downloadInput(context, url, { maxBytes, folder, signal, share: job.userId });
  if (fetched.kind === 'refused') return refusalOf(fetched);
  const { path, sha256 } = fetched;
  const probe = await context.prober.probe(path, { share: job.keyId, kind: 'job', sha256 });
  return { path, facts: storableFacts(probe) ?? 'unreadable' };
}

/** Admission checked that the file is the user's. Its facts are stored, where no probe did before. */
async function copyFile(
  { context, job, folder }: Fetching,
  fileId: FileId,
): Promise<LocalInput | InputRefused> {
  const { db, blobs, clock, prober } = context;
  const file = await readFile(db, fileId, clock.now());
  const content = file && (await blobs.open(file.blobKey, undefined, file.bytes));
  if (!content) return missing('the file no longer exists');
  const path = join(folder, randomUUID());
  await orSpoolUnavailable(pipeline(content, createWriteStream(path, { flags: 'wx' })));
  if (file.facts) return { path, facts: file.facts };
  const probe = await prober.probe(path, { share: job.keyId, kind: 'job', sha256: file.sha256 });
  const facts = storableFacts(probe);
  if (facts) await writeFacts(db, fileId, facts);
  return { path, facts: facts ?? 'unreadable' };
}

/** Decisions 9: a transient failure may succeed with another job; what breaks a rule of the model never does. */
const refusalOf = ({ reason, why }: FetchRefused): InputRefused =>
  why === 'content' ? invalid(reason) : { ...missing(reason), retryable: why === 'transient' };
