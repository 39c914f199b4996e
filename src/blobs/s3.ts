/** Blobs in an S3 bucket, one object each, by the official SDK. */
import { randomBytes } from 'node:crypto';
import type { Blobs } from '../domain/blobs.ts';
import type { S3Location } from '../domain/s3-location.ts';
import { openResumableStream } from './resumable-stream.ts';
import {
  getObject,
  hasErrorName,
  objectNameOf,
  openS3Bucket,
  type S3Bucket,
  throwUnavailable,
  withTimeout,
} from './s3-bucket.ts';
import { findUnfinishedUploads, listKeys } from './s3-listing.ts';
import { type OwnerMarker, openOwnerMarker } from './s3-owner.ts';
import { defaultS3Limits, type S3Limits } from './s3-settings.ts';
import { openUpload, type UploadObject } from './s3-upload.ts';

export interface S3Options {
  /** Names the installation: two with one prefix would remove each other's blobs as orphans. */
  readonly owner: string;
  readonly limits?: Partial<S3Limits>;
}

/** Sends nothing to the bucket before it is used. */
export async function openS3Blobs(
  location: S3Location,
  { owner, limits }: S3Options,
): Promise<{ readonly blobs: Blobs; close(): void }> {
  const bucket = await openS3Bucket(location, { ...defaultS3Limits, ...limits });
  const ownerMarker = openOwnerMarker(bucket, owner);
  const upload = await openUpload(bucket, ownerMarker.writeEnded);
  return { blobs: blobsOf(bucket, upload, ownerMarker), close: () => bucket.client.destroy() };
}

/** Maps every failure of a call to `BlobsUnavailable`. */
function blobsOf(bucket: S3Bucket, upload: UploadObject, ownerMarker: OwnerMarker): Blobs {
  const unavailable = (failure: unknown): never => throwUnavailable(bucket, failure);
  return {
    async put(path) {
      const key = randomBytes(20).toString('hex');
      const info = await upload(path, objectNameOf(bucket, key)).catch(unavailable);
      return { key, ...info };
    },
    open: (key, range, wholeBytes) => openObject(bucket, key, range, wholeBytes),
    localPath: () => null,
    async remove(key) {
      const { sdk, client, limits, Bucket } = bucket;
      const command = new sdk.DeleteObjectCommand({ Bucket, Key: objectNameOf(bucket, key) });
      await client.send(command, withTimeout(limits.callTimeoutMs)).catch(unavailable);
    },
    async *list(writtenBefore) {
      await ownerMarker.verify().catch(unavailable);
      yield* listKeys(bucket, writtenBefore);
    },
    async removeUnfinished(begunBefore) {
      try {
        await ownerMarker.verify();
        return await abortUnfinishedUploads(bucket, begunBefore);
      } catch (failure) {
        // Such a server aborts them itself, or by a lifecycle rule of the bucket.
        return hasErrorName(failure, 'NotImplemented') ? 0 : unavailable(failure);
      }
    },
    async check() {
      await ownerMarker.verify().catch(unavailable);
      await ownerMarker.checkWritable().catch(unavailable);
    },
  };
}

/** Null when the object is missing, or is shorter or longer than `wholeBytes`. */
async function openObject(
  bucket: S3Bucket,
  key: string,
  range: { readonly start: number; readonly end: number } | undefined,
  wholeBytes: number | undefined,
) {
  const name = objectNameOf(bucket, key);
  const start = range?.start ?? 0;
  const object = await getObject(bucket, name, { start, end: range?.end });
  if (!object) return null;
  if (wholeBytes !== undefined && object.totalBytes !== wholeBytes) {
    object.body.destroy();
    return null;
  }
  const end = Math.min(range?.end ?? Number.POSITIVE_INFINITY, object.totalBytes - 1);
  const first = { body: object.body, bytes: end - start + 1 };
  return openResumableStream(first, async offset => {
    const rest = await getObject(bucket, name, { start: start + offset, end });
    return rest?.body ?? null;
  });
}

/** Returns how many there were. */
async function abortUnfinishedUploads(bucket: S3Bucket, begunBefore: number): Promise<number> {
  const { sdk, client, limits, Bucket } = bucket;
  const unfinished = await findUnfinishedUploads(bucket, begunBefore);
  for (const { Key, UploadId } of unfinished) {
    const command = new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId });
    await client.send(command, withTimeout(limits.callTimeoutMs)).catch(failure => {
      if (!hasErrorName(failure, 'NoSuchUpload')) throw failure;
    });
  }
  return unfinished.length;
}
