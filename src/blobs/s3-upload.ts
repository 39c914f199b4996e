/** Uploads one local file to a bucket: hashed on its way, as one object or none, its size verified afterwards. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { BlobInfo } from '../domain/blobs.ts';
import { minutes, seconds } from '../domain/clock.ts';
import { openSemaphore } from '../domain/semaphore.ts';
import { type S3Bucket, withTimeout } from './s3-bucket.ts';

/** Read from the disk at a time. */
const chunkBytes = 256 * 1024;
/** Part size and concurrency bound the memory of uploads, whatever the size of the files. */
const partBytes = 8 * 1024 * 1024;
/** Parts of one upload, and uploads of the process, that are sent at the same time. */
const maxConcurrentParts = 2;
const maxConcurrentUploads = 3;
/** A slower upload is aborted. */
const minBytesPerMs = 512;
/** Well below the age at which an unfinished upload counts as left by a dead process. */
const maxUploadMs = 30 * minutes;
/** Removing what a failed upload may have left is best effort; maintenance finds the rest. */
const cleanupTimeoutMs = 2 * seconds;

/** Moves the file at `path` into the object `Key`. On failure the file stays and the object is removed again. */
export type UploadObject = (path: string, Key: string) => Promise<Omit<BlobInfo, 'key'>>;

/**
 * Runs at most three uploads at once; further ones wait, within their own timeout. `onWriteEnded` reports whether the
 * bucket took the object.
 */
export async function openUpload(
  bucket: S3Bucket,
  onWriteEnded: (isSuccess: boolean) => void,
): Promise<UploadObject> {
  const { sdk, client, limits, Bucket } = bucket;
  const { Upload } = await import('@aws-sdk/lib-storage');
  const uploadSlots = openSemaphore(maxConcurrentUploads);

  /** Parts are invisible until the upload completes. Each part is signed with its hash. */
  async function send(Key: string, content: Readable, abortSignal: AbortSignal): Promise<void> {
    const bounded: S3Client = Object.create(client, {
      send: {
        value: (command: Parameters<typeof client.send>[0]) =>
          client.send(
            command,
            command instanceof sdk.AbortMultipartUploadCommand
              ? withTimeout(cleanupTimeoutMs)
              : { abortSignal },
          ),
      },
    });
    const params = { Bucket, Key, Body: content };
    await new Upload({ client: bounded, params, partSize: partBytes, queueSize: maxConcurrentParts }).done();
  }

  async function verifySize(Key: string, bytes: number, abortSignal: AbortSignal): Promise<void> {
    const { ContentLength } = await client.send(new sdk.HeadObjectCommand({ Bucket, Key }), { abortSignal });
    if (ContentLength !== bytes) throw new Error(`stored ${ContentLength} of ${bytes} bytes`);
  }

  return async (path, Key) => {
    const { size } = await stat(path);
    const timeoutMs = Math.min(maxUploadMs, limits.uploadTimeoutMs + Math.ceil(size / minBytesPerMs));
    const signal = AbortSignal.timeout(timeoutMs);
    const releaseSlot = await uploadSlots.acquire(signal);
    try {
      const info = await hashAndSend(path, content => send(Key, content, signal));
      await verifySize(Key, info.bytes, signal);
      await rm(path);
      onWriteEnded(true);
      return info;
    } catch (failure) {
      onWriteEnded(false);
      // The upload may have succeeded and its response been lost.
      await client
        .send(new sdk.DeleteObjectCommand({ Bucket, Key }), withTimeout(cleanupTimeoutMs))
        .catch(() => {});
      throw failure;
    } finally {
      releaseSlot();
    }
  };
}

/** Hashes the bytes while they are sent, so that the file is read once. */
async function hashAndSend(
  path: string,
  send: (content: Readable) => Promise<void>,
): Promise<Omit<BlobInfo, 'key'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  const content = Readable.from(
    (async function* () {
      for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    })(),
  );
  try {
    await send(content);
  } finally {
    content.destroy();
  }
  return { bytes, sha256: hash.digest('hex') };
}
