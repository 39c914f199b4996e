/** Files: accepted types, lifetimes, upload limits, and the row of a file. */
import type { BlobInfo } from './blobs.ts';
import { days, hours } from './clock.ts';
import { type FileId, type JobId, type KeyId, newFileId, type UserId } from './ids.ts';
import type { KnownFacts } from './media.ts';

export type FileType = 'image' | 'audio' | 'video' | 'document' | 'text';

/** Contract 2.3: the MIME types that can be uploaded. */
export const fileTypeByMimeType: Readonly<Record<string, FileType>> = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/gif': 'image',
  'image/webp': 'image',
  'audio/mpeg': 'audio',
  'audio/wav': 'audio',
  'audio/mp4': 'audio',
  'audio/webm': 'audio',
  'video/mp4': 'video',
  'video/quicktime': 'video',
  'video/webm': 'video',
  'application/pdf': 'document',
  'text/plain': 'text',
  'text/csv': 'text',
  'application/json': 'text',
};

/** Contract 2.3: these carry `dimensions`, every other file has null. */
export const mimeTypesWithDimensions: readonly string[] = ['image/jpeg', 'image/png', 'image/gif'];

/** The usual extension, for files without a name. */
export const extensionByMimeType: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'audio/pcm': 'pcm',
  'audio/mp4': 'm4a',
  'audio/webm': 'weba',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'application/json': 'json',
};

/** Contract 8: 40MB, also for decoded base64. Decisions 7: MB is 1024 * 1024, inclusive. */
export const maxUploadBytes = 40 * 1024 * 1024;
/** Contract 3: uploads are stored for seven days. */
export const uploadLifeMs = 7 * days;
/** The contract does not define how long results are stored: thirty days. */
export const outputLifeMs = 30 * days;
/** Contract 8: the URL of a file object is valid for an hour. */
export const fileUrlLifeMs = 1 * hours;
/** Decisions 4: the URLs in a result are valid for a day. */
export const resultUrlLifeMs = 24 * hours;
/** Contract 8: at most this many uploads are accepted within any `uploadWindowMs`. */
export const uploadsPerWindow = 10;
export const uploadWindowMs = 60_000;

/** An uploaded or produced file: a row that refers to a blob. */
export interface StoredFile {
  readonly id: FileId;
  readonly userId: UserId;
  /** The key that created it, for audit. */
  readonly keyId: KeyId;
  /** `input`: it was part of the body of a job's creation. */
  readonly source: 'upload' | 'input' | 'output';
  /** The job that it is an input or output of; null for uploads. */
  readonly jobId: JobId | null;
  readonly fileName: string;
  readonly bytes: number;
  readonly mimeType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly sha256: string;
  readonly blobKey: string;
  /** From clients of the OpenAI protocol; echoed, never used. */
  readonly purpose: string | null;
  /** Null: not probed yet. */
  readonly facts: KnownFacts | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const lifeMs: Readonly<Record<StoredFile['source'], number>> = {
  upload: uploadLifeMs,
  // Inputs are stored as long as their job can be read.
  input: outputLifeMs,
  output: outputLifeMs,
};

/** The facts a caller passes for a new file. */
export type NewFile = Pick<StoredFile, 'userId' | 'keyId' | 'source' | 'jobId' | 'mimeType'> & {
  readonly blob: BlobInfo;
  /** Empty or absent: named after its id. */
  readonly name?: string;
  /** Pixels, where they are known. */
  readonly dimensions?: { readonly width: number; readonly height: number } | null | undefined;
  readonly purpose?: string | null;
  readonly facts?: KnownFacts | null;
  /** Absent: a new one. */
  readonly id?: FileId;
};

/** The row of a file whose blob is stored. `now` in epoch ms. */
export function newFile(
  { blob, name, dimensions, purpose, facts, id = newFileId(), ...given }: NewFile,
  now: number,
): StoredFile {
  return {
    ...given,
    id,
    fileName: name || `${id}.${extensionByMimeType[given.mimeType] ?? 'bin'}`,
    bytes: blob.bytes,
    width: dimensions?.width ?? null,
    height: dimensions?.height ?? null,
    sha256: blob.sha256,
    blobKey: blob.key,
    purpose: purpose ?? null,
    facts: facts ?? null,
    createdAt: now,
    expiresAt: now + lifeMs[given.source],
  };
}
