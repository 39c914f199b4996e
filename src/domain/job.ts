/** Jobs: states and their transitions, results, errors, usage, leases and outcomes. */
import type { JobId, KeyId, UserId, WorkerId } from './ids.ts';
import type { CostBody } from './money.ts';
import type { Usage } from './usage.ts';

/** A job's state in rows. Waiting for a retry is `available` with `dueAt` in the future. */
export type JobState = 'available' | 'running' | 'completed' | 'failed' | 'cancelled';

/** The public state in JSON. Clients stop polling at COMPLETED alone, so every end is COMPLETED. */
export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED';

/** The allowed transitions. The statements of the store make these and no others. */
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

/** Lower numbers are claimed first: 0 for the default service tier, 1 for flex. */
export type Priority = 0 | 1;

/** How many worker processes a job may crash before it fails. */
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

/** Why a job did not succeed, as shown in its status and result. */
export interface JobError {
  readonly code: JobErrorCode;
  readonly message: string;
  /** Whether creating the same job again can help. */
  readonly retryable: boolean;
  /** The upstream's own error, where it sent one. */
  readonly provider?: { readonly code: string; readonly message: string };
}

const retryableCodes: readonly JobErrorCode[] = ['provider_unavailable', 'expired', 'internal_error'];

/** The one way to create a JobError; `what` is a sentence for the client. */
export function jobError(code: JobErrorCode, what: string, provider?: JobError['provider']): JobError {
  return {
    code,
    message: `Runtime execution failed: ${what}`,
    retryable: retryableCodes.includes(code),
    ...(provider && { provider }),
  };
}

/** One file that a job produced, with the facts of its probe. */
export interface Output {
  readonly role: OutputRole;
  /** Counts from 0 within its role. */
  readonly index: number;
  readonly fileId: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Epoch ms: when the file expires. */
  readonly expiresAt: number;
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  readonly fps?: number;
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly hasAudio?: boolean;
  /** The upstream's id of it, which a later job there may have to name. */
  readonly upstreamId?: string;
}

export type OutputRole = 'primary' | 'watermarked' | 'last_frame' | 'grid' | 'cover' | 'subtitle';

/** What is stored of a completed job: facts only. URLs are signed and bodies built when they are read. */
export interface JobResult {
  readonly outputs: readonly Output[];
  /** The seed that was used, where the provider reports it. */
  readonly seed?: number;
  /** Bits per second of an mp3. */
  readonly bitrate?: number;
  /** Words spoken. */
  readonly words?: number;
  /** Milliseconds from the provider's acceptance to its end. */
  readonly inferenceMs: number;
}

/** A row of the table of jobs. */
export interface Job {
  readonly id: JobId;
  readonly userId: UserId;
  /** The key that created it, for audit. */
  readonly keyId: KeyId;
  readonly modelId: string;
  readonly state: JobState;
  /** The column is `band`. */
  readonly priority: Priority;
  /** Place in the queue of its model, in fair turns between users. */
  readonly rank: number;
  /** Epoch ms before which it is not claimed. */
  readonly dueAt: number;
  /** The worker that leases it; null unless running. */
  readonly holder: WorkerId | null;
  /** Counts claims; together with the holder it identifies the lease. */
  readonly claim: number;
  /** Worker processes that crashed while they ran it. The column is `deaths`. */
  readonly crashes: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** Deadline, epoch ms: after it the job fails as `expired`. */
  readonly expiresAt: number;
  readonly cancelRequestedAt: number | null;
  /** The validated input; media are references in it. */
  readonly input: unknown;
  readonly externalTaskId: string | null;
  readonly callbackUrl: string | null;
  /** 0 to 1, as last reported. */
  readonly progress: number | null;
  /** Names and values that the client gave it; null: none. */
  readonly tags: Readonly<Record<string, string>> | null;
  /** What it cost, once it is settled; null: no price. */
  readonly cost: CostBody | null;
  readonly result: JobResult | null;
  readonly error: JobError | null;
}

/** The lease of one worker on one claim of one job: every write to the job is guarded by it. */
export interface Lease {
  readonly jobId: JobId;
  readonly holder: WorkerId;
  readonly claim: number;
}

/** What is known of an uncertain submission. */
export interface UncertainReason {
  readonly message: string;
  /** Start of a response that could not be read. */
  readonly answer?: string;
  /** Calls in the upstream's list that may be it: their ids there, and when each was sent (epoch ms). */
  readonly candidates?: readonly { readonly upstreamId: string; readonly sentAt: number }[];
}

/** What an operator can do about the cause of a failure. */
export interface Remedy {
  readonly code: 'result_address_refused';
  readonly message: string;
}

/** How a leased job ended; `settle` writes it. */
export type Outcome =
  | {
      readonly kind: 'completed';
      readonly result: JobResult;
      readonly usage?: readonly Usage[];
      /** Sentences for the timeline of the job. */
      readonly notes?: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly error: JobError;
      readonly usage?: readonly Usage[];
      /** What an operator needs to resolve an uncertain submission; never shown to the client. */
      readonly uncertainSubmission?: UncertainReason;
      /** What an operator can do about the cause, by a word for programs; never shown to the client. */
      readonly remedy?: Remedy;
      /** Whether its upstream charges all of it although it failed. Absent: no. */
      readonly isCharged?: boolean;
    }
  | {
      readonly kind: 'cancelled';
      /** What the upstream reports as charged in spite of it. */
      readonly usage?: readonly Usage[];
      /** Whether its upstream charges all of it although it was cancelled. Absent: no. */
      readonly isCharged?: boolean;
    }
  /** Certainly not accepted upstream: requeued, due at `dueAt` (epoch ms). */
  | { readonly kind: 'retry'; readonly dueAt: number; readonly reason: string }
  /** The worker stops: requeued, due at once. */
  | { readonly kind: 'interrupted' };

/** An entry of a job's timeline. */
export interface JobEvent {
  readonly at: number;
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly message: string;
}
