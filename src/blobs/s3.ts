import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { type Blobs, BlobsUnavailable } from '../domain/blobs.ts';
import { minutes, seconds } from '../domain/clock.ts';
import { type S3Location, s3UriOf } from '../domain/s3-location.ts';
import { openResumableStream, type SizedBody } from './resumable-stream.ts';
import { clientSettings, defaultS3Limits, type S3Limits } from './s3-settings.ts';
import { openSemaphore } from './semaphore.ts';

export interface S3Options {
  /** Says whose blobs these are: two installations with one prefix would take each other's for leftovers. */
  readonly owner: string;
  readonly limits?: Partial<S3Limits>;
}

const keyPattern = /^[0-9a-f]{40}$/;
const chunkBytes = 256 * 1024;
/** What a file is sent in, and how much at once: the memory this takes does not grow with what comes in. */
const partBytes = 8 * 1024 * 1024;
const maxConcurrentParts = 2;
const maxConcurrentUploads = 3;
/** Slower than this and a file is given up. */
const minBytesPerMs = 512;
/** Well before an unfinished upload counts as left by a dead process. */
const maxUploadMs = 30 * minutes;
/** Removing what a failed upload may have left; what remains is found later. */
const cleanupTimeoutMs = 2 * seconds;
const maxOwnerBytes = 1024;
/** How long a write proves that writing works. */
const writeCheckValidMs = 5 * minutes;

/** Blobs in a bucket, one object each, by the official SDK. Nothing is asked of the bucket before it is used. */
export async function openS3Blobs(
  place: S3Location,
  { owner, limits: wanted = {} }: S3Options,
): Promise<{ readonly blobs: Blobs; close(): void }> {
  const bounds = { ...defaultS3Limits, ...wanted };
  const [sdk, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const client = new sdk.S3Client(clientSettings(place, bounds));
  const { bucket: Bucket, prefix: Prefix } = place;
  const ownerName = `${Prefix}owner`;
  const turns = openSemaphore(maxConcurrentUploads);
  let provenUntil = Number.NEGATIVE_INFINITY;

  const unavailable = (cause: unknown): never => {
    if (cause instanceof BlobsUnavailable) throw cause;
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new BlobsUnavailable(`${s3UriOf(place)}: ${why}`, { cause });
  };
  const inTime = (ms = bounds.callTimeoutMs) => ({ abortSignal: AbortSignal.timeout(ms) });
  const nameOf = (key: string): string => {
    if (!keyPattern.test(key)) throw new Error(`expected a blob key, got ${JSON.stringify(key)}`);
    return `${Prefix}${key}`;
  };

  /** The upload is one object or none: nobody sees its parts. Each part is signed with its hash. */
  async function upload(Key: string, content: Readable, abortSignal: AbortSignal): Promise<void> {
    const bounded: S3Client = Object.create(client, {
      send: {
        value: (command: Parameters<typeof client.send>[0]) =>
          client.send(
            command,
            command instanceof sdk.AbortMultipartUploadCommand ? inTime(cleanupTimeoutMs) : { abortSignal },
          ),
      },
    });
    const params = { Bucket, Key, Body: content };
    await new Upload({ client: bounded, params, partSize: partBytes, queueSize: maxConcurrentParts }).done();
  }

  async function refuseCut(Key: string, bytes: number, abortSignal: AbortSignal): Promise<void> {
    const { ContentLength } = await client.send(new sdk.HeadObjectCommand({ Bucket, Key }), { abortSignal });
    if (ContentLength !== bytes) throw new Error(`kept ${ContentLength} of ${bytes} bytes`);
  }

  /** Bytes from `start`, to `end` where that is given; null when there are none. */
  async function get(
    Key: string,
    start: number,
    end: number | undefined,
    ms = bounds.callTimeoutMs,
  ): Promise<ObjectBody | null> {
    const isRange = start > 0 || end !== undefined;
    const Range = `bytes=${start}-${end ?? ''}`;
    // Aborted while the answer is awaited alone: how long the reading takes is up to the reader.
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), ms);
    try {
      const command = new sdk.GetObjectCommand({ Bucket, Key, ...(isRange && { Range }) });
      const answer = await client.send(command, { abortSignal: over.signal });
      if (!(answer.Body instanceof Readable)) throw new Error('expected an answer with a body');
      return objectBodyOf(answer.Body, answer, start);
    } catch (failure) {
      return isMissing(failure) ? null : unavailable(failure);
    } finally {
      clearTimeout(timer);
    }
  }

  async function writeOwner(): Promise<void> {
    const command = new sdk.PutObjectCommand({ Bucket, Key: ownerName, Body: owner });
    await client.send(command, inTime(bounds.checkTimeoutMs));
    provenUntil = performance.now() + writeCheckValidMs;
  }

  async function refuseForeign(): Promise<void> {
    const got = await get(ownerName, 0, maxOwnerBytes - 1, bounds.checkTimeoutMs);
    if (!got) return writeOwner();
    const found = Buffer.concat(await openResumableStream(got, async () => null).toArray()).toString();
    if (found === owner) return;
    throw new BlobsUnavailable(
      `${s3UriOf(place)} belongs to another installation: each needs a prefix of its own. Where ATELIER_SECRET was changed, remove the object ${ownerName}.`,
    );
  }

  async function* list(writtenBefore: number): AsyncIterable<string> {
    let token: string | undefined;
    do {
      const command = new sdk.ListObjectsV2Command({
        Bucket,
        Prefix,
        // What lies deeper belongs to another prefix.
        Delimiter: '/',
        MaxKeys: bounds.keysPerPage,
        ContinuationToken: token,
      });
      const page = await client.send(command, inTime()).catch(unavailable);
      for (const { Key, LastModified } of page.Contents ?? []) {
        const key = Key?.slice(Prefix.length) ?? '';
        if (keyPattern.test(key) && LastModified && LastModified.getTime() < writtenBefore) yield key;
      }
      token = nextPage(token, page.IsTruncated ? page.NextContinuationToken : undefined);
    } while (token !== undefined);
  }

  /** Every page, then the removals: a page begins where the one before ended. */
  async function findUnfinished(begunBefore: number): Promise<readonly UnfinishedUpload[]> {
    const found: UnfinishedUpload[] = [];
    let KeyMarker: string | undefined;
    let UploadIdMarker: string | undefined;
    do {
      const from = { KeyMarker, UploadIdMarker, MaxUploads: bounds.keysPerPage };
      const command = new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...from });
      const page: ListMultipartUploadsCommandOutput = await client.send(command, inTime());
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        const isOurs = Key !== undefined && keyPattern.test(Key.slice(Prefix.length));
        if (isOurs && UploadId && Initiated && Initiated.getTime() < begunBefore)
          found.push({ Key, UploadId });
      }
      const [lastKey, lastUpload] = [KeyMarker, UploadIdMarker];
      KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
      UploadIdMarker = page.IsTruncated ? page.NextUploadIdMarker : undefined;
      nextPage(`${lastKey} ${lastUpload}`, KeyMarker && `${KeyMarker} ${UploadIdMarker}`);
    } while (KeyMarker !== undefined);
    return found;
  }

  const blobs: Blobs = {
    async put(path) {
      const key = randomBytes(20).toString('hex');
      const Key = nameOf(key);
      try {
        const { size } = await stat(path);
        const signal = AbortSignal.timeout(
          Math.min(maxUploadMs, bounds.uploadTimeoutMs + Math.ceil(size / minBytesPerMs)),
        );
        const endTurn = await turns.acquire(signal);
        try {
          const info = await hashAndSend(path, content => upload(Key, content, signal));
          await refuseCut(Key, info.bytes, signal);
          await rm(path);
          provenUntil = performance.now() + writeCheckValidMs;
          return { key, ...info };
        } catch (failure) {
          provenUntil = Number.NEGATIVE_INFINITY;
          // An answer that was lost may have been a success.
          await client
            .send(new sdk.DeleteObjectCommand({ Bucket, Key }), inTime(cleanupTimeoutMs))
            .catch(() => {});
          throw failure;
        } finally {
          endTurn();
        }
      } catch (failure) {
        return unavailable(failure);
      }
    },
    async open(key, range, wholeBytes) {
      const Key = nameOf(key);
      const got = await get(Key, range?.start ?? 0, range?.end);
      if (!got) return null;
      if (wholeBytes !== undefined && got.totalBytes !== wholeBytes) {
        got.body.destroy();
        return null;
      }
      const start = range?.start ?? 0;
      const end = Math.min(range?.end ?? Number.POSITIVE_INFINITY, got.totalBytes - 1);
      const wanted = { body: got.body, bytes: end - start + 1 };
      return openResumableStream(wanted, async offset => (await get(Key, start + offset, end))?.body ?? null);
    },
    localPath: () => null,
    async remove(key) {
      await client
        .send(new sdk.DeleteObjectCommand({ Bucket, Key: nameOf(key) }), inTime())
        .catch(unavailable);
    },
    async *list(writtenBefore) {
      await refuseForeign().catch(unavailable);
      yield* list(writtenBefore);
    },
    async removeUnfinished(begunBefore) {
      try {
        await refuseForeign();
        const unfinished = await findUnfinished(begunBefore);
        for (const { Key, UploadId } of unfinished) {
          const command = new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId });
          await client.send(command, inTime()).catch(ignoreError('NoSuchUpload'));
        }
        return unfinished.length;
      } catch (failure) {
        // Such a server ends them by itself, or by a rule of the bucket.
        return hasErrorName(failure, 'NotImplemented') ? 0 : unavailable(failure);
      }
    },
    async check() {
      await refuseForeign().catch(unavailable);
      if (performance.now() > provenUntil) await writeOwner().catch(unavailable);
    },
  };
  return { blobs, close: () => client.destroy() };
}

interface UnfinishedUpload {
  readonly Key: string;
  readonly UploadId: string;
}

/** The bytes asked for, and how many the whole object has. */
interface ObjectBody extends SizedBody {
  readonly totalBytes: number;
}

/** Hashes what is sent on its way, so that the file is read once. */
async function hashAndSend(
  path: string,
  send: (content: Readable) => Promise<void>,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
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

function objectBodyOf(
  body: Readable,
  { ContentLength: bytes, ContentRange }: Pick<GetObjectCommandOutput, 'ContentLength' | 'ContentRange'>,
  start: number,
): ObjectBody {
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '');
  const begins = range ? Number(range[1]) : 0;
  if (bytes !== undefined && begins === start)
    return { body, bytes, totalBytes: range ? Number(range[2]) : bytes };
  body.destroy();
  throw new Error(`expected bytes from ${start}, got ${ContentRange ?? 'the whole'}`);
}

/** Where the next page begins. A server that gives the same page again would be listed for ever. */
function nextPage(before: string | undefined, after: string | undefined): string | undefined {
  if (after !== undefined && after === before) throw new Error(`the list does not go on after ${after}`);
  return after;
}

const hasErrorName = (failure: unknown, ...names: readonly string[]): boolean =>
  failure instanceof Error && names.includes(failure.name);

/** An object that lost its bytes has none at that range. */
const isMissing = (failure: unknown): boolean =>
  hasErrorName(failure, 'NoSuchKey', 'NotFound', 'InvalidRange');

const ignoreError =
  (name: string) =>
  (failure: unknown): void => {
    if (!hasErrorName(failure, name)) throw failure;
  };
