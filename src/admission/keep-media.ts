import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Signer } from '../blobs/signature.ts';
import { type Fault, sentenceOf } from '../catalog/faults.ts';
import { type ForeignKind, isForeignAsset, takersOf } from '../catalog/foreign-jobs.ts';
import { type FoundMedia, mediaFormOf, replaceMedia } from '../catalog/media.ts';
import { brokenBytes, brokenLimit } from '../catalog/media-limits.ts';
import type { Model, Reference } from '../catalog/model.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import { newFile, type StoredFile } from '../domain/file.ts';
import { fileIdFromRow, type JobId } from '../domain/ids.ts';
import type { Principal } from '../domain/key.ts';
import type { MediaFacts } from '../domain/media.ts';
import { refuse } from '../domain/refusal.ts';
import type { Prober } from '../media/prober.ts';
import { onSpool, type Received, receive } from '../media/receive.ts';
import type { Owned } from '../providers/route-choice.ts';
import type { Statements } from '../store/connection.ts';
import { readFile, readFileOfUser } from '../store/files.ts';
import { findPinned } from '../store/references.ts';
import { Base64Fault, decodeBase64 } from './base64.ts';
import { dropSpooled, takeBackBlobs } from './keep-upload.ts';
import { resolveReferences } from './resolve-references.ts';

/** An input in which every medium is an address on the web or a file of ours, and the files that came with it. */
export interface KeptInput {
  readonly input: unknown;
  readonly files: readonly StoredFile[];
  /** The job that this one was made from, if any. */
  readonly parentId: string | null;
}

export interface MediaGate {
  /** Judges all that needs no network; throws the 422 with every fault. Nothing is kept yet. */
  judge(model: Model, input: unknown, asked: AskedOfMedia): Promise<JudgedMedia>;
}

export interface AskedOfMedia {
  readonly principal: Principal;
  /** What every upstream that may get the job knows though this gateway does not. */
  readonly takesForeign: ReadonlySet<ForeignKind>;
  /** The fields at the top that the client gave. */
  readonly given: readonly string[];
}

/** Media that passed; ends with `keep` or with `drop`. */
export interface JudgedMedia {
  /** The earlier jobs that the input points at, and where they were made. */
  readonly owned: readonly Owned[];
  /** Whether it names something that only an upstream knows. */
  readonly isForeign: boolean;
  /** Turns what came inline into files of the job. */
  keep(jobId: JobId): Promise<KeptInput>;
  drop(): Promise<void>;
  /** Takes back what was kept for a job that was not stored. */
  takeBack(kept: KeptInput, failure: unknown): Promise<void>;
}

export interface MediaGateParts {
  readonly db: Statements;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  readonly signer: Signer;
  readonly spool: string;
  readonly publicUrl: () => string;
}

/** A medium after the gate: as it was, or to be written as a file of ours. */
type Passed =
  | { readonly found: FoundMedia; readonly kind: 'as-it-is' }
  | { readonly found: FoundMedia; readonly kind: 'own'; readonly fileId: string; readonly facts: MediaFacts }
  | {
      readonly found: FoundMedia;
      readonly kind: 'inline';
      readonly received: Received;
      readonly facts: MediaFacts;
    };

export function openMediaGate(parts: MediaGateParts): MediaGate {
  return {
    async judge(model, input, { principal, takesForeign, given }) {
      const passed: Passed[] = [];
      const {
        referred,
        faults: referenceFaults,
        facts,
        ours,
      } = await resolveReferences(parts.db, model, input, { userId: principal.userId, takesForeign });
      const faults: Fault[] = [...referenceFaults, ...model.adoptFaults(input, given, referred)];
      const known: Record<string, MediaFacts> = { ...facts };
      const dropInline = async () => {
        for (const item of passed) if (item.kind === 'inline') await dropSpooled(item.received);
      };
      try {
        for (const found of model.media(input)) {
          const verdict = await judgeMedium(parts, found, { model, principal, takesForeign });
          const path = found.path.join('.');
          if (typeof verdict === 'string') faults.push({ path, reason: verdict });
          else {
            passed.push(verdict);
            if (verdict.kind !== 'as-it-is') known[path] = verdict.facts;
          }
        }
        if (faults.length === 0) faults.push(...model.mediaFaults(input, path => known[path] ?? null));
        if (faults.length > 0) {
          throw refuse('input_invalid', {
            subject: sentenceOf(faults),
            fields: faults.map(fault => fault.path),
          });
        }
      } catch (failure) {
        await dropInline();
        throw failure;
      }
      return {
        owned: await ownedBy(parts.db, ours, principal),
        isForeign:
          ours.length < model.references(input).length ||
          passed.some(({ found, kind }) => kind === 'as-it-is' && isForeignAsset(found.value)),
        keep: async jobId => {
          const kept = await keepAll(parts, input, passed, principal, jobId).finally(dropInline);
          return { ...kept, input: model.adopt(kept.input, referred), parentId: referred[0]?.jobId ?? null };
        },
        drop: dropInline,
        takeBack: ({ files }, failure) => takeBackBlobs(parts.blobs, files, failure),
      };
    },
  };
}

async function ownedBy(
  db: Statements,
  references: readonly Reference[],
  { userId }: Principal,
): Promise<readonly Owned[]> {
  const owned: Owned[] = [];
  for (const reference of references) {
    const pinned = await findPinned(db, reference, userId);
    owned.push({ path: reference.path, account: pinned?.account ?? null });
  }
  return owned;
}

/** A reason when the medium breaks a bound, else what it is. */
async function judgeMedium(
  parts: MediaGateParts,
  found: FoundMedia,
  { model, principal, takesForeign }: Omit<AskedOfMedia, 'given'> & { readonly model: Model },
): Promise<Passed | string> {
  const own = ownFileIn(parts, found.value);
  if (typeof own === 'string') return own;
  if (own) return judgeOwnFile(parts, found, own, principal);
  // A web address is fetched by the worker, once the request is a job.
  const form = mediaFormOf(found.value);
  if (form === 'url') return { found, kind: 'as-it-is' };
  if (form === 'asset') {
    const isForeign = isForeignAsset(found.value);
    if (isForeign && takesForeign.has('asset')) return { found, kind: 'as-it-is' };
    // Contract 2.1: assets of an upstream are known to that family alone.
    return `asset not found${isForeign && model.family === 'alpha' ? takersOf('asset') : ''}`;
  }
  return judgeInline(parts, found, form);
}

/** The file id in `file_…`, `asset://file_…` or an address that we signed; a reason where our signature does not hold. */
function ownFileIn(
  { signer, publicUrl, clock }: MediaGateParts,
  value: string,
): { id: string; signed: boolean } | string | null {
  if (mediaFormOf(value) === 'own') return { id: value.replace(/^asset:\/\//, ''), signed: false };
  if (!value.startsWith(`${publicUrl()}/v1/f/`)) return null;
  const verdict = signer.verify(value.slice(publicUrl().length), clock.now());
  if (verdict.kind === 'valid') return { id: verdict.fileId, signed: true };
  return verdict.kind === 'expired' ? 'the signed address has expired' : 'the signed address is not valid';
}

async function judgeOwnFile(
  parts: MediaGateParts,
  found: FoundMedia,
  { id, signed }: { id: string; signed: boolean },
  { userId }: Principal,
): Promise<Passed | string> {
  const now = parts.clock.now();
  const fileId = fileIdFromRow(id);
  // A signed address opens the file to whoever holds it; an id alone only to its user.
  const file = signed
    ? await readFile(parts.db, fileId, now)
    : await readFileOfUser(parts.db, fileId, userId, now);
  const content = file && (await parts.blobs.open(file.blobKey, undefined, file.bytes));
  if (!content) return 'file not found';
  const path = join(parts.spool, randomUUID());
  try {
    await onSpool(pipeline(content, createWriteStream(path, { flags: 'wx' })));
    const facts = await factsOf(parts.prober, path);
    if (typeof facts === 'string') return facts;
    return brokenLimit(facts, found.limits) ?? { found, kind: 'own', fileId, facts };
  } finally {
    await dropSpooled({ path });
  }
}

async function judgeInline(
  parts: MediaGateParts,
  found: FoundMedia,
  form: Exclude<ReturnType<typeof mediaFormOf>, 'url' | 'asset'>,
): Promise<Passed | string> {
  const encoded = form === 'data-url' ? found.value.slice(found.value.indexOf(',') + 1) : found.value;
  // Four characters carry three bytes: too many are refused before they are decoded.
  const tooMany = brokenBytes(Buffer.byteLength(encoded, 'base64'), found.limits);
  if (tooMany) return tooMany;
  const received = encoded === '' ? null : await receiveBase64(parts, encoded);
  if (received === null) return 'is not valid base64';
  try {
    const facts = await factsOf(parts.prober, received.path);
    const fault = typeof facts === 'string' ? facts : brokenLimit(facts, found.limits);
    if (fault === null && typeof facts !== 'string') return { found, kind: 'inline', received, facts };
    await dropSpooled(received);
    return fault ?? 'is not valid';
  } catch (failure) {
    await dropSpooled(received);
    throw failure;
  }
}

/** Its bytes in the spool; null for what is not base64. */
async function receiveBase64({ spool }: MediaGateParts, text: string): Promise<Received | null> {
  try {
    return await receive(inTurns(decodeBase64(text)), { directory: spool, maxBytes: text.length });
  } catch (failure) {
    if (failure instanceof Base64Fault) return null;
    throw failure;
  }
}

/** Others are answered between one piece and the next. */
async function* inTurns<T>(pieces: Iterable<T>): AsyncGenerator<T> {
  for (const piece of pieces) {
    yield piece;
    await breathe();
  }
}

async function factsOf(prober: Prober, path: string): Promise<MediaFacts | string> {
  const probe = await prober.probe(path);
  return probe.kind === 'read' ? probe.facts : 'cannot be read as a medium';
}

async function keepAll(
  { blobs, clock }: MediaGateParts,
  input: unknown,
  passed: readonly Passed[],
  { userId, keyId }: Principal,
  jobId: JobId,
): Promise<Omit<KeptInput, 'parentId'>> {
  let kept = input;
  const files: StoredFile[] = [];
  try {
    for (const item of passed) {
      if (item.kind === 'as-it-is') continue;
      if (item.kind === 'own') {
        kept = replaceMedia(kept, item.found.path, item.fileId);
        continue;
      }
      const blob = await blobs.keep(item.received.path, item.received);
      const { mimeType, image, video } = item.facts;
      const source = { userId, keyId, source: 'input', jobId } as const;
      const file = newFile({ blob, ...source, mimeType, sides: image ?? video }, clock.now());
      files.push(file);
      kept = replaceMedia(kept, item.found.path, file.id);
    }
    return { input: kept, files };
  } catch (failure) {
    await takeBackBlobs(blobs, files, failure);
    throw failure;
  }
}
