import { minutes, seconds } from '../domain/clock.ts';
import type { S3Place } from './s3-place.ts';

/** How long a bucket is waited for, and how much at once. */
export interface S3Bounds {
  /** Tries of a call, the first included. */
  readonly tries: number;
  readonly connectMs: number;
  /** One try, until its answer begins; the eight megabytes of a part are sent in it. */
  readonly answerMs: number;
  /** Without a byte on the connection. */
  readonly idleMs: number;
  /** A call with all its tries. */
  readonly callMs: number;
  /** The look whether all is well. */
  readonly checkMs: number;
  /** Keeping a file, whatever its length; a longer file has its time on top. */
  readonly keepMs: number;
  /** Names a page. */
  readonly pageKeys: number;
}

export const usualBounds: S3Bounds = {
  tries: 3,
  connectMs: 3 * seconds,
  answerMs: 30 * seconds,
  idleMs: 30 * seconds,
  callMs: 20 * seconds,
  checkMs: 5 * seconds,
  keepMs: 1 * minutes,
  pageKeys: 1_000,
};

/** What the SDK's client is made of. */
export function clientSettings({ endpoint, region, credentials }: S3Place, bounds: S3Bounds) {
  const agent = { keepAlive: true, maxSockets: 1_000 };
  return {
    region,
    // Other servers know no bucket by its host name, and not every one knows the newer checksums.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: bounds.tries,
    requestHandler: {
      connectionTimeout: bounds.connectMs,
      requestTimeout: bounds.answerMs,
      throwOnRequestTimeout: true,
      socketTimeout: bounds.idleMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  } as const;
}
