/** One bucket and prefix as the S3 backend uses it: the SDK's client, object names, timeouts and error mapping. */
import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { BlobsUnavailable } from '../domain/blobs.ts';
import { type S3Location, s3UriOf } from '../domain/s3-location.ts';
import type { SizedBody } from './resumable-stream.ts';
import { clientSettings, type S3Limits } from './s3-settings.ts';

/** What every call to the bucket needs. */
export interface S3Bucket {
  /** The SDK, imported only where a bucket is configured. */
  readonly sdk: typeof import('@aws-sdk/client-s3');
  readonly client: S3Client;
  readonly limits: S3Limits;
  /** In the spelling of the SDK's commands. */
  readonly Bucket: string;
  readonly Prefix: string;
  /** `s3://bucket/prefix`, for error messages. */
  readonly uri: string;
}

/** Loads the SDK and builds a client; sends nothing. */
export async function openS3Bucket(location: S3Location, limits: S3Limits): Promise<S3Bucket> {
  const sdk = await import('@aws-sdk/client-s3');
  return {
    sdk,
    client: new sdk.S3Client(clientSettings(location, limits)),
    limits,
    Bucket: location.bucket,
    Prefix: location.prefix,
    uri: s3UriOf(location),
  };
}

/** 160 bits in hexadecimal, as in a folder. */
const keyPattern = /^[0-9a-f]{40}$/;

/** Throws on text that is not a blob key, so that no other object can be addressed. */
export function objectNameOf({ Prefix }: S3Bucket, key: string): string {
  if (!keyPattern.test(key)) throw new Error(`expected a blob key, got ${JSON.stringify(key)}`);
  return `${Prefix}${key}`;
}

/** The blob key of an object; null for objects that are not blobs, such as the owner marker. */
export function keyOfObject({ Prefix }: S3Bucket, name: string | undefined): string | null {
  const key = name?.slice(Prefix.length) ?? '';
  return keyPattern.test(key) ? key : null;
}

/** Options of a call to the SDK that is aborted after `ms`. */
export const withTimeout = (ms: number): { readonly abortSignal: AbortSignal } => ({
  abortSignal: AbortSignal.timeout(ms),
});

/** Throws every failure as `BlobsUnavailable`, with the bucket in its message. */
export function throwUnavailable({ uri }: S3Bucket, cause: unknown): never {
  if (cause instanceof BlobsUnavailable) throw cause;
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  throw new BlobsUnavailable(`${uri}: ${reason}`, { cause });
}

/** The requested bytes, and the size of the whole object. */
export interface ObjectBody extends SizedBody {
  readonly totalBytes: number;
}

/** Byte offsets, both inclusive; without `end` the range reaches to the end of the object. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number | undefined;
}

/** Null when the object is missing or has no bytes in that range. */
export async function getObject(
  bucket: S3Bucket,
  Key: string,
  { start, end }: ByteRange,
  timeoutMs = bucket.limits.callTimeoutMs,
): Promise<ObjectBody | null> {
  const { sdk, client, Bucket } = bucket;
  const isRange = start > 0 || end !== undefined;
  const Range = `bytes=${start}-${end ?? ''}`;
  // The timeout covers the wait for the response only: how long reading takes is up to the reader.
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const command = new sdk.GetObjectCommand({ Bucket, Key, ...(isRange && { Range }) });
    const response = await client.send(command, { abortSignal: timeout.signal });
    if (!(response.Body instanceof Readable)) throw new Error('expected a response with a body');
    return objectBodyOf(response.Body, response, start);
  } catch (failure) {
    return isMissing(failure) ? null : throwUnavailable(bucket, failure);
  } finally {
    clearTimeout(timer);
  }
}

/** Some servers ignore a range and send the whole object, which must not be taken for the range. */
function objectBodyOf(
  body: Readable,
  { ContentLength: bytes, ContentRange }: Pick<GetObjectCommandOutput, 'ContentLength' | 'ContentRange'>,
  start: number,
): ObjectBody {
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '');
  const firstByte = range ? Number(range[1]) : 0;
  if (bytes !== undefined && firstByte === start)
    return { body, bytes, totalBytes: range ? Number(range[2]) : bytes };
  body.destroy();
  throw new Error(`expected bytes from ${start}, got ${ContentRange ?? 'the whole object'}`);
}

/** The SDK's errors are distinguished by their names. */
export const hasErrorName = (failure: unknown, ...names: readonly string[]): boolean =>
  failure instanceof Error && names.includes(failure.name);

/** An object that lost its bytes answers `InvalidRange`. */
const isMissing = (failure: unknown): boolean =>
  hasErrorName(failure, 'NoSuchKey', 'NotFound', 'InvalidRange');
