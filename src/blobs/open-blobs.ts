import { createHmac } from 'node:crypto';
import type { Blobs } from '../domain/blobs.ts';
import type { S3Location } from '../domain/s3-location.ts';
import { openDiskBlobs } from './disk.ts';
import { openS3Blobs } from './s3.ts';

export interface OpenedBlobs {
  readonly blobs: Blobs;
  close(): void;
}

export interface BlobsLocation {
  readonly folder: string;
  /** Null: the folder. */
  readonly s3: S3Location | null;
}

/** Opens the blobs where the settings say; the secret tells one installation from another. */
export async function openBlobs({ folder, s3 }: BlobsLocation, secret: string): Promise<OpenedBlobs> {
  if (s3 === null) return { blobs: await openDiskBlobs(folder), close: () => {} };
  const owner = createHmac('sha256', secret).update('owner of blobs').digest('hex');
  return openS3Blobs(s3, { owner });
}
