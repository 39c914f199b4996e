import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import {
  fileTypeByMimeType,
  maxUploadBytes,
  mimeTypesWithDimensions,
  newFile,
  type StoredFile,
} from '../domain/file.ts';
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

/** What its sender says of a file. */
export interface DeclaredFile {
  readonly declaredMimeType: string | undefined;
  readonly fileName: string | undefined;
  /** The field that is named when the type is wrong. */
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

/** A file whose bytes lie in the spool and whose type is decided. */
export interface CheckedUpload extends Pick<Spooled, 'path' | 'bytes' | 'sha256' | 'drop'> {
  readonly mimeType: string;
  /** Null: it was not probed. */
  readonly facts: KnownFacts | null;
  readonly dimensions: { readonly width: number; readonly height: number } | null;
}

/** Refuses before a byte is read when ten were accepted in the last 60 s, or when there is surely no room. */
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

/** Streams to disk, then judges the type by the bytes and by what is told once they are there; whatever fails leaves nothing. */
export async function spoolUpload(
  parts: UploadDependencies,
  sender: Sender,
  content: AsyncIterable<Uint8Array>,
  told: () => DeclaredFile,
): Promise<CheckedUpload> {
  const bounds = { maxBytes: maxUploadBytes };
  const spooled = await parts.spool.receive(sender.principal.keyId, content, bounds).catch(failure => {
    throw failure instanceof TooManyBytes ? refuse('file_too_large') : failure;
  });
  try {
    return await checkUpload(parts.prober, sender, told(), spooled);
  } catch (failure) {
    await spooled.drop();
    throw failure;
  }
}

/** The row and the blob of a judged file. The rate and the room are counted with the insert, exactly. */
export async function storeUpload(
  { db, blobs, clock, storage }: UploadDependencies,
  principal: Principal,
  judged: CheckedUpload,
  { fileName, purpose }: { readonly fileName: string | undefined; readonly purpose: string | null },
): Promise<StoredFile> {
  const keepBlob = async () => {
    await refuseWithoutStorage(storage, principal, judged.bytes);
    return blobs.put(judged.path, judged);
  };
  const blob = await keepBlob().finally(() => judged.drop());
  try {
    const { userId, keyId } = principal;
    const { mimeType, dimensions, facts } = judged;
    const name = cleanName(fileName);
    const file = newFile(
      { blob, userId, keyId, source: 'upload', jobId: null, mimeType, name, dimensions, purpose, facts },
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
 * Removes the blobs of rows that were not stored. Where they may be stored nevertheless, or nothing can be removed
 * now, maintenance finds out which blobs belong to nobody.
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
  const { path, bytes, sha256, head, holdsNul, drop } = spooled;
  const decision = decideFileType({
    head,
    holdsNul,
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
  const kept = { path, bytes, sha256, drop };
  if (!isMedium(mimeType)) return { ...kept, mimeType, dimensions: null, facts: null };
  const probe = await probeForRequest(prober, path, { sender, sha256 });
  const facts = storableFacts(probe);
  if (!tracksDecide && !mimeTypesWithDimensions.includes(mimeType))
    return { ...kept, mimeType, dimensions: null, facts };
  if (probe.kind === 'unreadable') {
    throw refuse('file_request_invalid', {
      subject: `The ${mimeType} file cannot be read`,
      param: upload.typeField,
      cause: probe.reason,
    });
  }
  return {
    ...kept,
    facts,
    mimeType: tracksDecide ? probe.facts.mimeType : mimeType,
    dimensions: (mimeTypesWithDimensions.includes(mimeType) && probe.facts.image) || null,
  };
}

/** What an input may name as a medium: its facts are asked for again and again. */
const isMedium = (mimeType: string): boolean =>
  ['image', 'audio', 'video'].includes(fileTypeByMimeType[mimeType] ?? '');

const uploadRateExceeded = (waitMs: number) =>
  refuse('upload_rate_exceeded', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });

const maxNameCharacters = 255;

/**
 * What no header or file system carries, and what shows a name as another one: marks of writing direction, and
 * characters without a width.
 */
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The original name, without folders and without what is not seen. */
function cleanName(name: string | undefined): string {
  const last = (name ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const visible = [...last.replace(invisibleCharacters, '').trim()].slice(0, maxNameCharacters).join('');
  return visible === '.' || visible === '..' ? '' : visible;
}
