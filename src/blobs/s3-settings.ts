import { minutes, seconds } from '../domain/clock.ts';
import type { S3Location } from '../domain/s3-location.ts';

/** How long a bucket is waited for, and how much at once. */
export interface S3Limits {
  /** Tries of a call, the first included. */
  readonly maxAttempts: number;
  readonly connectTimeoutMs: number;
  /** One try, until its answer begins; the eight megabytes of a part are sent in it. */
  readonly responseTimeoutMs: number;
  /** Without a byte on the connection. */
  readonly idleTimeoutMs: number;
  /** A call with all its tries. */
  readonly callTimeoutMs: number;
  /** The look whether all is well. */
  readonly checkTimeoutMs: number;
  /** Keeping a file, whatever its length; a longer file has its time on top. */
  readonly uploadTimeoutMs: number;
  /** Names a page. */
  readonly keysPerPage: number;
}

export const defaultS3Limits: S3Limits = {
  maxAttempts: 3,
  connectTimeoutMs: 3 * seconds,
  responseTimeoutMs: 30 * seconds,
  idleTimeoutMs: 30 * seconds,
  callTimeoutMs: 20 * seconds,
  checkTimeoutMs: 5 * seconds,
  uploadTimeoutMs: 1 * minutes,
  keysPerPage: 1_000,
};

/** What the SDK's client is made of. */
export function clientSettings({ endpoint, region, credentials }: S3Location, bounds: S3Limits) {
  const agent = { keepAlive: true, maxSockets: 1_000 };
  return {
    region,
    // Other servers know no bucket by its host name, and not every one knows the newer checksums.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: bounds.maxAttempts,
    requestHandler: {
      connectionTimeout: bounds.connectTimeoutMs,
      requestTimeout: bounds.responseTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: bounds.idleTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  } as const;
}
