/**
 * The bodies of the protocol, as they come: nothing is renamed. Times are Unix seconds. What users of a model's
 * family know beside these members is there, too, as `unknown`.
 */

/** A job that was created; the answer of a creation and its model. */
export interface JobHandle<Model extends string = string> {
  readonly model: Model;
  readonly request_id: string;
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
  readonly queue_position: number;
}

interface StatusHead {
  readonly request_id: string;
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
  readonly created_at: number;
}

/** Beside its members stand those that users of the model's family know of a task, as in the result. */
interface UnfinishedHead extends StatusHead {
  readonly model: string;
  readonly external_task_id?: string;
}

export interface LogLine {
  readonly timestamp: string;
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly source: string;
  readonly message: string;
}

export interface QueuedStatus extends UnfinishedHead {
  readonly status: 'IN_QUEUE';
  /** 0: next, or already starting. */
  readonly queue_position: number;
}

export interface RunningStatus extends UnfinishedHead {
  readonly status: 'IN_PROGRESS';
  /** Null unless logs were asked for. */
  readonly logs: readonly LogLine[] | null;
  /** 0 to 1, where the provider tells. */
  readonly progress?: number;
  readonly started_at?: number;
}

/** The end of a job, good or bad: `error` tells. */
export interface CompletedStatus extends StatusHead {
  readonly status: 'COMPLETED';
  readonly logs: readonly LogLine[] | null;
  readonly metrics: Metrics;
  readonly error: JobError | null;
  readonly error_type?: string;
  readonly started_at?: number;
  readonly completed_at: number;
}

export type UnfinishedStatus = QueuedStatus | RunningStatus;
export type JobStatus = UnfinishedStatus | CompletedStatus;

/** A job of a list. */
export type ListedJob = JobStatus & { readonly model: string; readonly external_task_id?: string };

export interface Metrics {
  /** Seconds. */
  readonly inference_time: number;
}

export interface JobError {
  readonly code:
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
  readonly message: string;
  /** Whether creating the same job again can help. */
  readonly retryable: boolean;
  /** Present only where an upstream said something. */
  readonly provider?: { readonly code: string; readonly message: string };
}

interface ResultHead {
  readonly request_id: string;
  readonly status: 'COMPLETED';
  readonly model: string;
  readonly external_task_id?: string;
  readonly created_at: number;
  readonly started_at?: number;
  readonly completed_at: number;
  readonly metrics: Metrics;
  readonly [native: string]: unknown;
}

/** One produced file. Its address needs no key and is good for a day; asked for again, it is signed anew. */
export interface ResultFile {
  /** Null once the file was deleted. */
  readonly url: string | null;
  readonly content_type: string;
  readonly file_name: string;
  /** Bytes. */
  readonly file_size: number;
}

export interface VideoResult extends ResultHead {
  readonly error: null;
  /** Seconds that the video really has. */
  readonly duration: number;
  readonly video: ResultFile & {
    readonly width: number;
    readonly height: number;
    readonly duration: number;
    readonly fps: number;
  };
  /** Where a watermarked copy was asked for. */
  readonly watermarked_url?: string | null;
  /** Where it was asked for. */
  readonly last_frame?: {
    readonly url: string | null;
    readonly content_type: string;
    readonly width: number;
    readonly height: number;
  };
}

export interface ImageResult extends ResultHead {
  readonly error: null;
  readonly images: readonly (ResultFile & {
    readonly index: number;
    readonly width: number;
    readonly height: number;
  })[];
}

export interface SpeechResult extends ResultHead {
  readonly error: null;
  readonly audio: ResultFile & {
    /** Seconds. */
    readonly duration: number;
    readonly sample_rate: number;
    readonly channels: number;
  };
}

/** The end of a job that failed, was cancelled or came too late. */
export interface FailedResult extends ResultHead {
  readonly error: JobError;
}

/** A result of a model that is not known here. */
export type AnyResult = VideoResult | ImageResult | SpeechResult;

export interface FileObject {
  readonly id: string;
  readonly object: 'file';
  readonly filename: string;
  readonly bytes: number;
  readonly mime_type: string;
  readonly file_type: 'image' | 'audio' | 'video' | 'document' | 'text';
  readonly source: string;
  /** Pixels; null for all but JPEG, PNG and GIF. */
  readonly dimensions: { readonly width: number; readonly height: number } | null;
  readonly storage_policy: 'temporary';
  readonly created_at: number;
  readonly expires_at: number;
  /** Signed, and good for an hour. */
  readonly url: string;
}

/** A page of a list, the newest first unless asked otherwise. */
export interface Page<Item> {
  readonly object: 'list';
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  /** What `after` takes for the next page. */
  readonly last_id: string | null;
}

export interface ModelSummary {
  readonly id: string;
  readonly object: 'model';
  readonly owned_by: string;
  readonly kind: 'video' | 'image' | 'speech';
  readonly family: string;
  readonly title: string;
  readonly summary: string;
  readonly accepts_callback: boolean;
}

/** JSON Schema with hints for forms. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Everything that is said of a model. */
export interface ModelDescription extends ModelSummary {
  readonly limits: { readonly max_body_bytes: number };
  readonly input_schema: JsonSchema;
  /** Constraints between fields, a sentence each. */
  readonly rules: readonly { readonly says: string; readonly fields: readonly string[] }[];
  readonly examples: readonly unknown[];
}

/** The verdict on an input that would be accepted. */
export interface Validation {
  readonly object: 'validation';
  readonly model: string;
  readonly valid: true;
  /** Jobs that the caller would pay for. */
  readonly billed_jobs: number;
}
