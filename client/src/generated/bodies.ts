// Made from src/answers by `npm run generate -w atelier-client`: change the schemas instead.

/** A new job: its id, its URLs and its place in the queue. */
export interface CreatedJob {
  readonly request_id: string;
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
  /** 0: next, or already starting. */
  readonly queue_position: number;
}

/** Jobs of one model. */
export interface StatusPage {
  readonly object: 'list';
  readonly data: readonly JobStatus[];
  readonly first_id: string | null;
  /** What `after` takes for the next page. */
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** A job in one of its three states. */
export type JobStatus = QueuedStatus | RunningStatus | CompletedStatus;

/** A job that waits, with the keys that the users of its model’s family know of a task. */
export interface QueuedStatus {
  readonly status: 'IN_QUEUE';
  readonly model: string;
  readonly external_task_id?: string;
  readonly request_id: string;
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** 0: next, or already starting. */
  readonly queue_position: number;
}

/** A job that runs, with the keys that the users of its model’s family know of a task. */
export interface RunningStatus {
  readonly status: 'IN_PROGRESS';
  readonly model: string;
  readonly external_task_id?: string;
  readonly request_id: string;
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Null unless the request has `logs=1`. */
  readonly logs: readonly LogLine[] | null;
  /** 0 to 1; absent until it is known. */
  readonly progress?: number;
  /** Unix time in seconds. */
  readonly started_at?: number;
}

/** One event of a job. */
export interface LogLine {
  readonly timestamp: string;
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly source: string;
  readonly message: string;
}

/** A finished job; `error` tells failure from success. */
export interface CompletedStatus {
  readonly status: 'COMPLETED';
  readonly request_id: string;
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
  /** Null unless the request has `logs=1`. */
  readonly logs: readonly LogLine[] | null;
  readonly metrics: Metrics;
  /** Null where the job succeeded. */
  readonly error: JobError | null;
  readonly error_type?: string;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Unix time in seconds. */
  readonly started_at?: number;
  /** Unix time in seconds. */
  readonly completed_at: number;
}

/** Figures of a finished job. */
export interface Metrics {
  /** Seconds. */
  readonly inference_time: number;
}

/** Why a job did not succeed. */
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
  /** Present only where an upstream gave a reason. */
  readonly provider?: {
    readonly code: string;
    readonly message: string;
  };
}

/** The same for all models, beside the keys that the users of the model’s family know. */
export type JobResult = VideoResult | ImageResult | SpeechResult | FailedResult;

/** A finished video. */
export interface VideoResult {
  readonly request_id: string;
  readonly status: 'COMPLETED';
  readonly model: string;
  readonly external_task_id?: string;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Unix time in seconds. */
  readonly started_at?: number;
  /** Unix time in seconds. */
  readonly completed_at: number;
  readonly metrics: Metrics;
  /** Names and values of the `Atelier-Tags` header of the creation. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly cost?: Cost;
  readonly error: null;
  /** Seconds: the real duration of the video. */
  readonly duration: number;
  readonly video: ResultFile & {
    readonly width: number;
    readonly height: number;
    readonly duration: number;
    readonly fps: number;
  };
  /** Where a watermarked copy was requested. */
  readonly watermarked_url?: string | null;
  /** Where the last frame was requested. */
  readonly last_frame?: {
    /** Signed for a day; null once the file was deleted. */
    readonly url: string | null;
    readonly content_type: string;
    readonly width: number;
    readonly height: number;
  };
  readonly [native: string]: unknown;
}

/** What a job cost, once it is settled. */
export interface Cost {
  /** Decimal, two to six digits behind the point. */
  readonly amount: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly lines: readonly ({
    readonly unit: 'second' | 'image' | 'character' | 'token' | 'credit' | 'gpu_second';
    readonly quantity: number;
    /** Of one unit. */
    readonly price: string;
    /** By the upstream, or here from input and files. */
    readonly basis: 'reported' | 'computed';
  })[];
}

/** One file of a result. Its URL needs no key. */
export interface ResultFile {
  /** Signed for a day; null once the file was deleted. */
  readonly url: string | null;
  readonly content_type: string;
  readonly file_name: string;
  /** Bytes. */
  readonly file_size: number;
}

/** Finished images. */
export interface ImageResult {
  readonly request_id: string;
  readonly status: 'COMPLETED';
  readonly model: string;
  readonly external_task_id?: string;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Unix time in seconds. */
  readonly started_at?: number;
  /** Unix time in seconds. */
  readonly completed_at: number;
  readonly metrics: Metrics;
  /** Names and values of the `Atelier-Tags` header of the creation. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly cost?: Cost;
  readonly error: null;
  readonly images: readonly (ResultFile & {
    readonly index: number;
    readonly width: number;
    readonly height: number;
    readonly [native: string]: unknown;
  })[];
  readonly [native: string]: unknown;
}

/** Finished speech. */
export interface SpeechResult {
  readonly request_id: string;
  readonly status: 'COMPLETED';
  readonly model: string;
  readonly external_task_id?: string;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Unix time in seconds. */
  readonly started_at?: number;
  /** Unix time in seconds. */
  readonly completed_at: number;
  readonly metrics: Metrics;
  /** Names and values of the `Atelier-Tags` header of the creation. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly cost?: Cost;
  readonly error: null;
  readonly audio: ResultFile & {
    /** Seconds. */
    readonly duration: number;
    readonly sample_rate: number;
    readonly channels: number;
  };
  readonly [native: string]: unknown;
}

/** A job that failed, was cancelled or expired. */
export interface FailedResult {
  readonly request_id: string;
  readonly status: 'COMPLETED';
  readonly model: string;
  readonly external_task_id?: string;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Unix time in seconds. */
  readonly started_at?: number;
  /** Unix time in seconds. */
  readonly completed_at: number;
  readonly metrics: Metrics;
  /** Names and values of the `Atelier-Tags` header of the creation. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly cost?: Cost;
  readonly error: JobError;
  readonly [native: string]: unknown;
}

/** What a cancellation did. */
export interface Cancellation {
  readonly status: 'OK' | 'CANCELLATION_REQUESTED' | 'ALREADY_COMPLETED';
  readonly request_id: string;
}

/** Jobs of every model. */
export interface OwnJobPage {
  readonly object: 'list';
  readonly data: readonly ListedJob[];
  readonly first_id: string | null;
  /** What `after` takes for the next page. */
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** A job with its model and, where one job is read, its input. */
export type ListedJob = JobStatus & {
  readonly model: string;
  readonly external_task_id?: string;
  /** Names and values of the `Atelier-Tags` header of the creation. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly cost?: Cost;
  /** As it was stored; only where one job is read. */
  readonly input?: Readonly<Record<string, unknown>>;
};

/** A stored file with a fresh signed URL. */
export interface FileObject {
  readonly id: string;
  readonly object: 'file';
  readonly filename: string;
  readonly bytes: number;
  readonly mime_type: string;
  readonly file_type: 'image' | 'audio' | 'video' | 'document' | 'text';
  readonly source: 'upload' | 'input' | 'output';
  /** Pixels as displayed; null for all but JPEG, PNG and GIF. */
  readonly dimensions: {
    readonly width: number;
    readonly height: number;
  } | null;
  readonly storage_policy: 'temporary';
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Unix time in seconds. */
  readonly expires_at: number;
  /** Signed, valid for an hour. */
  readonly url: string;
  /** As it was sent; absent where none was. */
  readonly purpose?: string;
  /** Only beside `purpose`. */
  readonly status?: 'processed';
}

/** Uploads of one user. */
export interface FilePage {
  readonly object: 'list';
  readonly data: readonly FileObject[];
  readonly first_id: string | null;
  /** What `after` takes for the next page. */
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** A file that was deleted. */
export interface FileDeletion {
  readonly id: string;
  readonly object: 'file';
  readonly deleted: true;
}

/** Every model that clients may use. */
export interface ModelList {
  readonly object: 'list';
  readonly data: readonly ModelSummary[];
}

/** A model in the list of models. */
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

/** All that a form, a document or a typed client needs of a model. */
export interface ModelDescription {
  readonly id: string;
  readonly object: 'model';
  readonly owned_by: string;
  readonly kind: 'video' | 'image' | 'speech';
  readonly family: string;
  readonly title: string;
  readonly summary: string;
  readonly accepts_callback: boolean;
  readonly limits: {
    readonly max_body_bytes: number;
  };
  /** JSON Schema with hints for forms. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** Constraints between fields, a sentence each. */
  readonly rules: readonly ({
    readonly says: string;
    readonly fields: readonly string[];
  })[];
  readonly examples: readonly unknown[];
}

/** An input that would be accepted. */
export interface Validation {
  readonly object: 'validation';
  readonly model: string;
  readonly valid: true;
  /** Jobs that the caller would pay for. */
  readonly billed_jobs: number;
  /** What it may cost at most; null: the model has no price. */
  readonly quote: Quote | null;
}

/** What a job may cost at most. */
export interface Quote {
  /** Decimal, two to six digits behind the point. */
  readonly amount: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly lines: readonly ({
    readonly unit: 'second' | 'image' | 'character' | 'token' | 'credit' | 'gpu_second';
    readonly quantity: number;
    /** Of one unit. */
    readonly price: string;
  })[];
  readonly price_version: string;
}

/** What a key may still spend. */
export interface Balance {
  /** Null: no prices are set. */
  readonly currency: string | null;
  readonly project: AccountBalance;
  /** Null: the key has no limit of its own. */
  readonly key: AccountBalance | null;
}

/** The budget of a project or a key. */
export interface AccountBalance {
  readonly name: string;
  /** Null: no limit. */
  readonly limit: string | null;
  /** Decimal, two to six digits behind the point. */
  readonly spent: string;
  /** What unfinished jobs may cost at most. */
  readonly held: string;
  /** Held for submissions whose outcome is unknown. */
  readonly uncertain: string;
  /** limit - spent - held - uncertain; null: no limit. */
  readonly available: string | null;
}

/** For a verifier of Standard Webhooks. */
export interface CallbackSecret {
  /** whsec_… */
  readonly key: string;
}

export interface CallbackPage {
  readonly object: 'list';
  readonly data: readonly Callback[];
  readonly first_id: string | null;
  /** What `after` takes for the next page. */
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** A callback (webhook) of one of your jobs. */
export interface Callback {
  readonly id: string;
  readonly object: 'callback';
  readonly request_id: string;
  readonly model: string;
  readonly status: 'IN_PROGRESS' | 'COMPLETED';
  /** `superseded`: the COMPLETED of the job is sent in its place. */
  readonly state: 'waiting' | 'delivered' | 'failed' | 'superseded';
  /** Unix time in seconds. */
  readonly created_at: number;
}

/** A callback (webhook) with its body. */
export interface CallbackContent {
  readonly id: string;
  readonly object: 'callback';
  readonly request_id: string;
  readonly model: string;
  readonly status: 'IN_PROGRESS' | 'COMPLETED';
  /** `superseded`: the COMPLETED of the job is sent in its place. */
  readonly state: 'waiting' | 'delivered' | 'failed' | 'superseded';
  /** Unix time in seconds. */
  readonly created_at: number;
  /** What an attempt would send at this moment; null where nothing is sent any more. */
  readonly body: string | null;
}

/** Refused for every endpoint alike: by key, rate or quota. */
export interface GatewayError {
  readonly error: {
    readonly code: string;
    readonly message: string;
  };
  readonly request_id: string;
}

/** Refused by the queue, by the models or by the admin API. */
export interface DetailError {
  readonly detail: string;
}

/** Refused by the file endpoints. */
export interface FileError {
  readonly error: {
    readonly message: string;
    readonly type: 'invalid_request_error' | 'api_error';
    /** The field at fault. */
    readonly param: string | null;
    readonly code: string;
  };
}
