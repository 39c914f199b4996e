/** Opens the configured blob store: a local folder or an S3 bucket. */
import { createHmac } from 'node:crypto';
import type { Blobs } from '../domain/blobs.ts';
import type { S3Location } from '../domain/s3-location.ts';
import { openDiskBlobs } from './disk.ts';
import { openS3Blobs } from './s3.ts';

/** `close` ends the connections to a bucket. */
export interface OpenedBlobs {
  readonly blobs: Blobs;
  close(): void;
}

/** The configured places; the bucket takes precedence over the folder. */
export interface BlobsLocation {
  readonly folder: string;
  /** Null: the folder is used. */
  readonly s3: S3Location | null;
}

/** The secret distinguishes this installation from others that use the same bucket. */
export async function openBlobs({ folder, s3 }: BlobsLocation, secret: string): Promise<OpenedBlobs> {
  if (s3 === null) return { blobs: await openDiskBlobs(folder), close: () => {} };
  const owner = createHmac('sha256', secret).update('owner of blobs').digest('hex');
  return openS3Blobs(s3, { owner });
}
