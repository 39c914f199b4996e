import type { JobId, KeyId, UserId, WorkerId } from './ids.ts';

/** A job's state in rows. Waiting for a retry is `available` with `dueAt` in the future. */
export type JobState = 'available' | 'running' | 'completed' | 'failed' | 'cancelled';

/** The public state in JSON. Clients stop polling at COMPLETED alone, so every end is COMPLETED. */
export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED';

/** Which state may follow which. The store's guarded statements move along these edges and no others. */
export const transitions: Readonly<Record<JobState, readonly JobState[]>> = {
  available: ['running', 'failed', 'cancelled'],
  running: ['available', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
};

export const isFinal = (state: JobState): boolean => transitions[state].length === 0;

export function publicStatus(state: JobState): JobStatus {
  if (state === 'available') return 'IN_QUEUE';
  return isFinal(state) ? 'COMPLETED' : 'IN_PROGRESS';
}

/** Claims take the lower band first: 0 for the default service tier, 1 for flex. */
export type Priority = 0 | 1;

/** How many worker processes a job may take down before it is closed as poison. */
export const maxCrashes = 3;

export type JobErrorCode =
  | 'runtime_error'
  | 'invalid_input'
  | 'file_download_error'
  | 'file_invalid'
  | 'content_policy_violation'
  | 'provider_unavailable'
  | 'submission_uncertain'
  | 'expired'
  | 'cancelled'
  | 'response_too_large'
  | 'internal_error';

/** Why a job did not succeed, as its status and result show it. */
export interface JobError {
  readonly code: JobErrorCode;
  readonly message: string;
  /** Whether creating the same job again can help. */
  readonly retryable: boolean;
  /** Present only where an upstream said something. */
  readonly provider?: { readonly code: string; readonly message: string };
}

const retryableCodes: readonly JobErrorCode[] = ['provider_unavailable', 'expired', 'internal_error'];

/** The one way to make a JobError; `what` is a sentence fit for the client. */
export function jobError(code: JobErrorCode, what: string, provider?: JobError['provider']): JobError {
  return {
    code,
    message: `Runtime execution failed: ${what}`,
    retryable: retryableCodes.includes(code),
    ...(provider && { provider }),
  };
}

/** One file that a job produced, with the figures of its probe. */
export interface Output {
  readonly role: OutputRole;
  /** Counts from 0 within its role. */
  readonly index: number;
  readonly fileId: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Epoch ms: the end of the file's life. */
  readonly expiresAt: number;
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  readonly fps?: number;
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly hasAudio?: boolean;
  /** What the upstream that made it calls it: a later job there may have to name it. */
  readonly upstreamId?: string;
}

export type OutputRole = 'primary' | 'watermarked' | 'last_frame' | 'grid' | 'cover' | 'subtitle';

/** What a completed job keeps: facts only. Addresses are signed and bodies are built when they are read. */
export interface JobResult {
  readonly outputs: readonly Output[];
  /** The seed really used, where the provider says. */
  readonly seed?: number;
  /** Bits per second of an mp3. */
  readonly bitrate?: number;
  /** Words spoken. */
  readonly words?: number;
  /** Milliseconds between the provider's acceptance and its end. */
  readonly inferenceMs: number;
}

export const usageUnits = ['second', 'image', 'character', 'token', 'credit', 'gpu_second'] as const;
export type UsageUnit = (typeof usageUnits)[number];

/** One line of what a job used. */
export interface Usage {
  readonly unit: UsageUnit;
  readonly quantity: number;
  /** `reported` by the upstream, or `computed` here from the input and the files. */
  readonly basis: 'reported' | 'computed';
}

/** A job as the store gives it. */
export interface Job {
  readonly id: JobId;
  readonly userId: UserId;
  /** The key that created it, for audit. */
  readonly keyId: KeyId;
  readonly modelId: string;
  readonly state: JobState;
  readonly band: Priority;
  /** Place in its model's line: users take turns. */
  readonly rank: number;
  /** Epoch ms before which it is not claimed. */
  readonly dueAt: number;
  readonly holder: WorkerId | null;
  /** Counts claims; with the holder it is the right to write. */
  readonly claim: number;
  /** Worker processes that crashed while they ran it. The column is `deaths`. */
  readonly crashes: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** Epoch ms after which it ends as `expired`. */
  readonly expiresAt: number;
  readonly cancelRequestedAt: number | null;
  /** The validated input; media stand in it as references. */
  readonly input: unknown;
  readonly externalTaskId: string | null;
  readonly callbackUrl: string | null;
  /** 0 to 1, as last reported. */
  readonly progress: number | null;
  readonly result: JobResult | null;
  readonly error: JobError | null;
}

/** The right of one worker to one claim of one job: every write of a step is guarded by it. */
export interface Lease {
  readonly jobId: JobId;
  readonly holder: WorkerId;
  readonly claim: number;
}

/** What came of holding a job; `settle` writes it. */
export type Outcome =
  | {
      readonly kind: 'completed';
      readonly result: JobResult;
      readonly usage?: readonly Usage[];
      /** Sentences for the log of the job. */
      readonly notes?: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly error: JobError;
      readonly usage?: readonly Usage[];
      /** What an operator needs to settle an uncertain end: never told to the client. */
      readonly uncertainSubmission?: { readonly message: string; readonly answer?: string };
    }
  | { readonly kind: 'cancelled' }
  /** Certainly not accepted upstream: back to the line until `dueAt`. */
  | { readonly kind: 'retry'; readonly dueAt: number; readonly reason: string }
  /** The holder stops: back to the line at once. */
  | { readonly kind: 'interrupted' };

/** A line of a job's timeline. */
export interface JobEvent {
  readonly at: number;
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly message: string;
}
