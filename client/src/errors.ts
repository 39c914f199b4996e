/** The errors of this client. */

import type { FailedResult, UnfinishedStatus } from './bodies.ts';

/**
 * Where an error comes from: one of the three error bodies of the protocol, the way to the gateway, a time
 * that ran out, the caller's own signal, or a job.
 */
export type ErrorKind = 'gateway' | 'detail' | 'file' | 'network' | 'timeout' | 'abort' | 'job';

/** What is known of a failure; members as in `GatewayError`. */
export interface ErrorFacts {
  readonly kind: ErrorKind;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly suggestion?: string | undefined;
  readonly requestId?: string | undefined;
  readonly body?: unknown;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Every error of this client. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  readonly kind: ErrorKind;
  /** The HTTP status; undefined where there was no answer. */
  readonly status: number | undefined;
  /** The code of the error body or of the job's error, else the one in `X-Error-Code`. */
  readonly code: string | undefined;
  /** The model id that was perhaps meant, where the one that was sent is unknown. */
  readonly suggestion: string | undefined;
  /** `X-Request-Id` of the answer, for the operator's log. */
  readonly requestId: string | undefined;
  /** The answer as it came, parsed where it was JSON. */
  readonly body: unknown;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The wait that the gateway asked for, in ms; undefined where it named none. */
  readonly retryAfterMs: number | undefined;
  /** The job it is about, where one exists: a wait that ended early can go on with it. */
  jobId: string | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = facts.kind;
    this.status = facts.status;
    this.code = facts.code;
    this.suggestion = facts.suggestion;
    this.requestId = facts.requestId;
    this.body = facts.body;
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** 401: there is no key, or it is not valid. */
export class AuthError extends GatewayError {
  override readonly name = 'AuthError';
}

/** 403: the key may not use this model, or lacks a scope. */
export class PermissionError extends GatewayError {
  override readonly name = 'PermissionError';
}

/** 404: no such model, job or file, or it is not one's own. */
export class NotFoundError extends GatewayError {
  override readonly name = 'NotFoundError';
}

/** 429: too fast, or too much at once. */
export class RateLimitError extends GatewayError {
  override readonly name = 'RateLimitError';
}

/** One fault of what was sent. */
export interface Issue {
  /** As `settings.duration`; empty where the whole is at fault. */
  readonly path: string;
  readonly message: string;
}

/** 400, 413, 415 and 422: what was sent is wrong, and stays wrong. */
export class ValidationError extends GatewayError {
  override readonly name = 'ValidationError';
  readonly issues: readonly Issue[];

  constructor(message: string, facts: ErrorFacts, issues: readonly Issue[]) {
    super(message, facts);
    this.issues = issues;
  }
}

/** The job ended without a result. */
export class JobFailedError extends GatewayError {
  override readonly name = 'JobFailedError';
  readonly result: FailedResult;

  constructor(result: FailedResult) {
    const { code, message, retryable } = result.error;
    super(message, { kind: 'job', code, retryable, body: result });
    this.result = result;
    this.jobId = result.request_id;
  }
}

/** 202: the job has no result yet. */
export class NotReadyError extends GatewayError {
  override readonly name = 'NotReadyError';
  readonly jobStatus: UnfinishedStatus;

  constructor(jobStatus: UnfinishedStatus) {
    super(`Job ${jobStatus.request_id} is not finished: ${jobStatus.status}`, {
      kind: 'job',
      status: 202,
      retryable: true,
      body: jobStatus,
    });
    this.jobStatus = jobStatus;
    this.jobId = jobStatus.request_id;
  }
}
