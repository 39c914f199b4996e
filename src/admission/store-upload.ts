/** Stores an uploaded file: spool, type check, blob, row. */
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import {
  fileTypeByMimeType,
  maxUploadBytes,
  mimeTypesWithDimensions,
  newFile,
  type StoredFile,
} from '../domain/file.ts';
import type { FileId } from '../domain/ids.ts';
import type { Principal } from '../domain/key.ts';
import type { KnownFacts } from '../domain/media.ts';
import { refuse } from '../domain/refusal.ts';
import { decideFileType } from '../media/decide-type.ts';
import { type Prober, storableFacts } from '../media/prober.ts';
import { TooManyBytes } from '../media/spool-file.ts';
import { type Connection, StoreUnavailable } from '../store/db/connection.ts';
import { insertUpload, uploadWaitMs } from '../store/files/files.ts';
import { probeForRequest } from './request-prober.ts';
import type { Sender } from './sender.ts';
import type { Spool, Spooled } from './spool.ts';
import { type StorageQuota, storageRefusal } from './storage-quota.ts';

/** What the client states about a file. */
export interface DeclaredFile {
  readonly declaredMimeType: string | undefined;
  readonly fileName: string | undefined;
  /** The field that the refusal of a wrong type names. */
  readonly typeField: 'file' | 'mime_type';
}

export interface UploadDependencies {
  readonly db: Connection;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly prober: Prober;
  readonly spool: Spool;
  readonly storage: StorageQuota;
}

/** A file whose bytes are in the spool and whose type is decided. */
export interface CheckedUpload extends Pick<Spooled, 'path' | 'bytes' | 'sha256' | 'drop'> {
  readonly mimeType: string;
  /** Null: not probed. */
  readonly facts: KnownFacts | null;
  readonly dimensions: { readonly width: number; readonly height: number } | null;
}

/** What a sender says of its file. */
export interface NamedUpload {
  readonly fileName: string | undefined;
  readonly purpose: string | null;
  /** The id that was given out before the bytes came; absent: a new one. */
  readonly id?: FileId;
}

/** Refuses before a byte is read: after ten uploads in 60 s, or where the storage quota is already full. */
export async function refuseUploadEarly(
  { db, clock, storage }: Pick<UploadDependencies, 'db' | 'clock' | 'storage'>,
  principal: Principal,
): Promise<void> {
  const waitMs = await uploadWaitMs(db, principal.userId, clock.now());
  if (waitMs !== null) throw uploadRateExceeded(waitMs);
  await refuseWithoutStorage(storage, principal, 1);
}

async function refuseWithoutStorage(
  storage: StorageQuota,
  principal: Principal,
  bytes: number,
): Promise<void> {
  await storage.refuseOverTotal(bytes);
  const used = await storage.findExceeded(principal, bytes);
  if (used) throw storageRefusal('storage_quota_exceeded', used);
}

/**
 * Streams to the spool, then decides the type by the bytes and by `declared`, whose fields may follow the bytes in the
 * body. A failure leaves nothing in the spool.
 */
export async function spoolUpload(
  { spool, prober }: UploadDependencies,
  sender: Sender,
  content: AsyncIterable<Uint8Array>,
  declared: () => DeclaredFile,
): Promise<CheckedUpload> {
  const bounds = { maxBytes: maxUploadBytes };
  const spooled = await spool.receive(sender.principal.keyId, content, bounds).catch(failure => {
    throw failure instanceof TooManyBytes ? refuse('file_too_large') : failure;
  });
  try {
    return await checkUpload(prober, sender, declared(), spooled);
  } catch (failure) {
    await spooled.drop();
    throw failure;
  }
}

/** Stores the blob and the row of a checked file. The insert counts the upload rate and the quota exactly. */
export async function storeUpload(
  { db, blobs, clock, storage }: UploadDependencies,
  principal: Principal,
  upload: CheckedUpload,
  { fileName, purpose, id }: NamedUpload,
): Promise<StoredFile> {
  const storeBlob = async () => {
    await refuseWithoutStorage(storage, principal, upload.bytes);
    return blobs.put(upload.path, upload);
  };
  const blob = await storeBlob().finally(() => upload.drop());
  try {
    const { userId, keyId } = principal;
    const { mimeType, dimensions, facts } = upload;
    const name = cleanName(fileName);
    const file = newFile(
      {
        ...{ blob, userId, keyId, source: 'upload', jobId: null, mimeType, name, dimensions, purpose, facts },
        ...(id && { id }),
      },
      clock.now(),
    );
    const insertion = await insertUpload(db, file, storage.bounds);
    switch (insertion.kind) {
      case 'inserted':
        return file;
      case 'rate_exceeded':
        throw uploadRateExceeded(insertion.waitMs);
      case 'storage_used':
        throw storageRefusal('storage_quota_exceeded', insertion);
    }
  } catch (failure) {
    await removeUncommittedBlobs(blobs, [{ blobKey: blob.key }], failure);
    throw failure;
  }
}

/**
 * Removes the blobs of rows that were not inserted. Where the insert may have succeeded nevertheless, or the blobs
 * cannot be removed now, maintenance removes those without a row later.
 */
export async function removeUncommittedBlobs(
  blobs: Pick<Blobs, 'remove'>,
  files: readonly Pick<StoredFile, 'blobKey'>[],
  failure: unknown,
): Promise<void> {
  if (failure instanceof StoreUnavailable && failure.inDoubt) return;
  for (const { blobKey } of files) await blobs.remove(blobKey).catch(() => {});
}

async function checkUpload(
  prober: Prober,
  sender: Sender,
  upload: DeclaredFile,
  spooled: Spooled,
): Promise<CheckedUpload> {
  const { path, bytes, sha256, head, containsNul, drop } = spooled;
  const decision = decideFileType({
    head,
    containsNul,
    declaredMimeType: upload.declaredMimeType,
    filename: upload.fileName,
  });
  if (decision.kind === 'unsupported') {
    throw refuse('unsupported_file_type', { subject: decision.found, param: upload.typeField });
  }
  if (decision.kind === 'contradicted') {
    throw refuse('file_request_invalid', {
      subject: `The bytes are ${decision.found}, not ${decision.declared}`,
      param: upload.typeField,
    });
  }
  const { mimeType, tracksDecide } = decision;
  const file = { path, bytes, sha256, drop };
  if (!isMedium(mimeType)) return { ...file, mimeType, dimensions: null, facts: null };
  const probe = await probeForRequest(prober, path, { sender, sha256 });
  const facts = storableFacts(probe);
  if (!tracksDecide && !mimeTypesWithDimensions.includes(mimeType))
    return { ...file, mimeType, dimensions: null, facts };
  if (probe.kind === 'unreadable') {
    throw refuse('file_request_invalid', {
      subject: `The ${mimeType} file cannot be read`,
      param: upload.typeField,
      cause: probe.reason,
    });
  }
  return {
    ...file,
    facts,
    mimeType: tracksDecide ? probe.facts.mimeType : mimeType,
    dimensions: (mimeTypesWithDimensions.includes(mimeType) && probe.facts.image) || null,
  };
}

/** Whether inputs of jobs may name the file, so that its facts are worth storing. */
const isMedium = (mimeType: string): boolean =>
  ['image', 'audio', 'video'].includes(fileTypeByMimeType[mimeType] ?? '');

const uploadRateExceeded = (waitMs: number) =>
  refuse('upload_rate_exceeded', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });

/** Longer names are cut. */
const maxNameCharacters = 255;

/**
 * Characters that headers and file systems do not accept, and those that make a name look like another one: marks of
 * writing direction, and characters without a width.
 */
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The original name without folders and without invisible characters; '' where nothing is left. */
function cleanName(name: string | undefined): string {
  const last = (name ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const visible = [...last.replace(invisibleCharacters, '').trim()].slice(0, maxNameCharacters).join('');
  return visible === '.' || visible === '..' ? '' : visible;
}
