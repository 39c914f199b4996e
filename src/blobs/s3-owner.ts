/** The owner marker: one object that names the installation a prefix belongs to, and proves that writes work. */
import { BlobsUnavailable } from '../domain/blobs.ts';
import { minutes } from '../domain/clock.ts';
import { openResumableStream } from './resumable-stream.ts';
import { getObject, type S3Bucket, withTimeout } from './s3-bucket.ts';

const maxOwnerBytes = 1024;
/** How long a successful write proves that writes work. */
const writeCheckValidMs = 5 * minutes;

/** Guards a prefix that two installations might share. */
export interface OwnerMarker {
  /** Rejects when the prefix belongs to another installation; an unused prefix becomes ours. */
  verify(): Promise<void>;
  /** Writes the marker again, unless a write succeeded lately. */
  checkWritable(): Promise<void>;
  /** Reports how a write ended. */
  writeEnded(isSuccess: boolean): void;
}

/** `owner` is the content of the marker. Reads and writes nothing yet. */
export function openOwnerMarker(bucket: S3Bucket, owner: string): OwnerMarker {
  const { sdk, client, limits, Bucket, Prefix, uri } = bucket;
  const Key = `${Prefix}owner`;
  let writableUntil = Number.NEGATIVE_INFINITY;

  const writeEnded = (isSuccess: boolean): void => {
    writableUntil = isSuccess ? performance.now() + writeCheckValidMs : Number.NEGATIVE_INFINITY;
  };

  async function write(): Promise<void> {
    const command = new sdk.PutObjectCommand({ Bucket, Key, Body: owner });
    await client.send(command, withTimeout(limits.checkTimeoutMs));
    writeEnded(true);
  }

  return {
    writeEnded,
    async verify() {
      const marker = await getObject(
        bucket,
        Key,
        { start: 0, end: maxOwnerBytes - 1 },
        limits.checkTimeoutMs,
      );
      if (!marker) return write();
      const found = Buffer.concat(await openResumableStream(marker, async () => null).toArray()).toString();
      if (found === owner) return;
      throw new BlobsUnavailable(
        `${uri} belongs to another installation: each needs a prefix of its own. Where ATELIER_SECRET was changed, remove the object ${Key}.`,
      );
    },
    async checkWritable() {
      if (performance.now() > writableUntil) await write();
    },
  };
}
