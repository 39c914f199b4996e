/** The body of a file, and its signed URL. */

import { toUnixSeconds } from '../domain/clock.ts';
import {
  fileTypeByMimeType,
  fileUrlLifeMs,
  mimeTypesWithDimensions,
  type StoredFile,
} from '../domain/file.ts';
import type { HttpContext } from './http-context.ts';

/** Contract 2.3: exactly the twelve keys; two more for a client that sent a purpose (decisions 6). */
export function fileObject(context: Pick<HttpContext, 'clock' | 'signer' | 'publicUrl'>, file: StoredFile) {
  return {
    id: file.id,
    object: 'file',
    filename: file.fileName,
    bytes: file.bytes,
    mime_type: file.mimeType,
    file_type: fileTypeByMimeType[file.mimeType] ?? file.mimeType.split('/', 1)[0],
    source: file.source,
    dimensions: dimensionsOf(file),
    storage_policy: 'temporary',
    created_at: toUnixSeconds(file.createdAt),
    expires_at: toUnixSeconds(file.expiresAt),
    url: signedUrlOf(context, file),
    ...(file.purpose !== null && { purpose: file.purpose, status: 'processed' }),
  };
}

/** Contract 2.3: of JPEG, PNG and GIF alone, wherever the file came from; in pixels, as displayed. */
const dimensionsOf = ({ mimeType, width, height }: StoredFile) =>
  width !== null && mimeTypesWithDimensions.includes(mimeType) ? { width, height } : null;

/** A fresh signed address: an hour, never past the end of the file (Contract 8). */
export function signedUrlOf(
  { clock, signer, publicUrl }: Pick<HttpContext, 'clock' | 'signer' | 'publicUrl'>,
  file: StoredFile,
): string {
  return publicUrl() + signer.sign(file, Math.min(clock.now() + fileUrlLifeMs, file.expiresAt));
}
