/** Lists what a prefix of a bucket contains: blobs by age, and multipart uploads that were never completed. */
import type { ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import { keyOfObject, type S3Bucket, throwUnavailable, withTimeout } from './s3-bucket.ts';

/** Keys of blobs last written before that moment (epoch ms). */
export async function* listKeys(bucket: S3Bucket, writtenBefore: number): AsyncIterable<string> {
  const { sdk, client, limits, Bucket, Prefix } = bucket;
  let token: string | undefined;
  do {
    const command = new sdk.ListObjectsV2Command({
      Bucket,
      Prefix,
      // Deeper objects belong to another prefix.
      Delimiter: '/',
      MaxKeys: limits.keysPerPage,
      ContinuationToken: token,
    });
    const page = await client
      .send(command, withTimeout(limits.callTimeoutMs))
      .catch(failure => throwUnavailable(bucket, failure));
    for (const { Key, LastModified } of page.Contents ?? []) {
      const key = keyOfObject(bucket, Key);
      if (key !== null && LastModified && LastModified.getTime() < writtenBefore) yield key;
    }
    token = nextPage(token, page.IsTruncated ? page.NextContinuationToken : undefined);
  } while (token !== undefined);
}

/** In the spelling of the SDK's commands. */
export interface UnfinishedUpload {
  readonly Key: string;
  readonly UploadId: string;
}

/** Reads every page before anything is removed: a page starts where the one before ended. */
export async function findUnfinishedUploads(
  bucket: S3Bucket,
  begunBefore: number,
): Promise<readonly UnfinishedUpload[]> {
  const { sdk, client, limits, Bucket, Prefix } = bucket;
  const found: UnfinishedUpload[] = [];
  let KeyMarker: string | undefined;
  let UploadIdMarker: string | undefined;
  do {
    const from = { KeyMarker, UploadIdMarker, MaxUploads: limits.keysPerPage };
    const command = new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...from });
    const page: ListMultipartUploadsCommandOutput = await client.send(
      command,
      withTimeout(limits.callTimeoutMs),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      const isBlob = keyOfObject(bucket, Key) !== null;
      if (isBlob && Key && UploadId && Initiated && Initiated.getTime() < begunBefore)
        found.push({ Key, UploadId });
    }
    const before = `${KeyMarker} ${UploadIdMarker}`;
    KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
    UploadIdMarker = page.IsTruncated ? page.NextUploadIdMarker : undefined;
    nextPage(before, KeyMarker && `${KeyMarker} ${UploadIdMarker}`);
  } while (KeyMarker !== undefined);
  return found;
}

/** Returns `after`. A server that returns the same page twice would be listed for ever. */
function nextPage(before: string | undefined, after: string | undefined): string | undefined {
  if (after !== undefined && after === before)
    throw new Error(`the listing returned the same page twice: ${after}`);
  return after;
}
