/** Limits of the S3 backend, and the settings of the SDK's client. */
import { minutes, seconds } from '../domain/clock.ts';
import type { S3Location } from '../domain/s3-location.ts';

/** Timeouts and sizes, all in milliseconds unless named otherwise. */
export interface S3Limits {
  /** Attempts of a call, including the first. */
  readonly maxAttempts: number;
  readonly connectTimeoutMs: number;
  /** One attempt until its response starts, including the eight megabytes of a part that it sends. */
  readonly responseTimeoutMs: number;
  /** Without a byte on the connection. */
  readonly idleTimeoutMs: number;
  /** A call with all its attempts. */
  readonly callTimeoutMs: number;
  /** A call of the readiness check. */
  readonly checkTimeoutMs: number;
  /** An upload, plus time by the size of its file. */
  readonly uploadTimeoutMs: number;
  /** Objects per page of a listing. */
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

/** Options of the SDK's client. */
export function clientSettings({ endpoint, region, credentials }: S3Location, bounds: S3Limits) {
  const agent = { keepAlive: true, maxSockets: 1_000 };
  return {
    region,
    // Other servers may not support buckets by host name, nor the newer checksums.
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
