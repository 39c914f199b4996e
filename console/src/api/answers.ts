/** The answers of the admin API. Times are Unix seconds; those of jobs have milliseconds after the decimal point. */
import type { PublishedSchema } from './input-schema.ts';

/** What a person may do; each role includes the ones before it. */
export type Role = 'viewer' | 'developer' | 'admin';

/** The session of this browser. */
export interface Session {
  readonly name: string;
  readonly role: Role;
  /** The id of the person; null: logged in by the admin token. */
  readonly person: string | null;
  readonly csrf_token: string | null;
  /** Null: a session of the browser, without an end of its own. */
  readonly ends_at: number | null;
}

/** One open session, in the list of sessions. */
export interface SessionLine {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly user_agent: string;
  readonly began_at: number;
  readonly last_seen_at: number;
  /** Whether it is the session of this browser. */
  readonly current: boolean;
}

/** `open`: the first account is still to be created. */
export interface Setup {
  readonly open: boolean;
}

/** The checks of a new installation. */
export interface Checks {
  /** The base of every address that clients receive. */
  readonly public_url: string;
  /** Why a file could not be written, read or removed; null where storage works. */
  readonly storage_fault: string | null;
  /** Why the gateway takes no jobs; null where it does. */
  readonly not_ready: string | null;
}

/** A page of a list. Its cursor is `next_after` or, where the contract fixes the body, `last_id`. */
export interface Page<Line> {
  readonly data: readonly Line[];
  readonly has_more: boolean;
  readonly next_after?: string | null;
  readonly last_id?: string | null;
}

/** The five states of a job; the public protocol has three. */
export type JobState = 'available' | 'running' | 'completed' | 'failed' | 'cancelled';

/** Why a job failed. */
export interface JobError {
  readonly code: string;
  readonly message: string;
  /** Whether the same job may succeed later. */
  readonly retryable: boolean;
  /** What the upstream answered, where it did. */
  readonly provider?: { readonly code: string; readonly message: string };
}

/** One file that a job produced. */
export interface Output {
  /** `primary`, or what the file is beside the result: `cover`, `last_frame`, … */
  readonly role: string;
  readonly index: number;
  readonly file_id: string;
  readonly file_name: string;
  readonly mime_type: string;
  readonly bytes: number;
  /** Relative to the gateway. */
  readonly url: string;
  readonly expires_at: number;
  /** Of pictures and videos, in pixels. */
  readonly width: number | null;
  readonly height: number | null;
  /** Of videos and sounds. */
  readonly seconds: number | null;
  readonly fps: number | null;
}

/** A job in a list. */
export interface JobLine {
  readonly request_id: string;
  readonly model: string;
  readonly state: JobState;
  /** The first characters of the prompt or the text; empty where the input has none. */
  readonly prompt_start: string;
  readonly user: string;
  readonly key: { readonly id: string; readonly name: string | null; readonly hint: string };
  /** The provider account; null until a worker has chosen one. */
  readonly account: string | null;
  /** The id that the client gave it. */
  readonly external_task_id: string | null;
  /** 0 to 1; null where the provider reports none. */
  readonly progress: number | null;
  readonly error: JobError | null;
  readonly cancel_requested: boolean;
  readonly created_at: number;
  readonly started_at: number | null;
  /** When it completed, failed or was cancelled. */
  readonly completed_at: number | null;
  /** When it ends by itself as `expired`, unless it ends before. */
  readonly expires_at: number;
  readonly outputs: readonly Output[];
}

/** One call of an upstream to create the job there. */
export interface Attempt {
  readonly number: number;
  readonly provider: string;
  readonly account: string;
  readonly started_at: number;
  readonly answered_at: number | null;
  /** `accepted`, `done`, or how it failed; null while there is no answer. */
  readonly answer: string | null;
  readonly error: { readonly code?: string; readonly message?: string } | null;
  /** More than 1 where the same call was repeated under the same dedupe key. */
  readonly call_count: number;
  readonly billable: boolean;
  /** Whether it is an uncertain submission: its outcome is unknown and not resolved yet. */
  readonly in_doubt: boolean;
}

/** One attempt to deliver a callback. */
export interface DeliveryAttempt {
  readonly number: number;
  readonly at: number;
  readonly took_ms: number | null;
  /** The HTTP status; null where the receiver did not answer. */
  readonly code: number | null;
  /** The start of the body, or the error of the connection. */
  readonly answer: string | null;
}

/** A callback (webhook): one notice to the callback_url of a job. */
export interface Delivery {
  readonly id: string;
  readonly request_id: string;
  readonly user: string;
  /** The public status of the job that it reports: IN_PROGRESS or COMPLETED. */
  readonly status: string;
  readonly url: string;
  /** `superseded`: a later status made this notice unnecessary. */
  readonly state: 'waiting' | 'delivered' | 'failed' | 'superseded';
  readonly try_count: number;
  readonly created_at: number;
  /** When the next attempt is due; null where there is none. */
  readonly due_at: number | null;
  readonly ended_at: number | null;
}

/** A callback with its attempts. */
export interface DeliveryDetail extends Delivery {
  readonly tries: readonly DeliveryAttempt[];
}

/** One entry of the audit: who did what to which subject. */
export interface AuditLine {
  readonly number: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Everything that is known of one job. */
export interface JobDetail extends JobLine {
  readonly queue_position: number | null;
  /** How often a worker claimed it. */
  readonly claims: number;
  /** How often a worker process crashed while it was a suspect. */
  readonly deaths: number;
  readonly due_at: number;
  readonly callback_url: string | null;
  /** How long the upstream worked on it. */
  readonly inference_ms: number | null;
  readonly input: unknown;
  readonly result: unknown;
  readonly attempts: readonly Attempt[];
  readonly events: readonly { readonly at: number; readonly level: string; readonly message: string }[];
  readonly deliveries: readonly DeliveryDetail[];
  /** `basis`: `reported` by the upstream, or `computed` here. */
  readonly usage: readonly { readonly unit: string; readonly quantity: number; readonly basis: string }[];
  /** Null where its model has no price. */
  readonly cost: Cost | null;
  readonly audit: readonly AuditLine[];
}

/** A model in a list. */
export interface ModelLine {
  readonly id: string;
  readonly kind: 'video' | 'image' | 'speech';
  readonly family: string;
  readonly title: string;
  readonly summary: string;
  readonly accepts_callback: boolean;
  /** Kinds of media that its input accepts. */
  readonly takes: readonly string[];
  /** Run time over the last seven days; null where no job of it completed. */
  readonly run_ms: Percentiles | null;
  /** By unit, in `currency`; null where the settings have no price. */
  readonly price: Readonly<Record<string, number>> | null;
  readonly currency: string | null;
}

/** A model with everything that its form needs. */
export interface ModelDetail extends Omit<ModelLine, 'takes' | 'run_ms' | 'price' | 'currency'> {
  readonly limits: { readonly max_body_bytes: number };
  readonly input_schema: PublishedSchema;
  readonly rules: readonly { readonly says: string; readonly fields: readonly string[] }[];
  readonly examples: readonly unknown[];
}

/** An API key, without its secret. */
export interface KeyLine {
  readonly id: string;
  readonly user: string;
  readonly name: string | null;
  /** The first and last characters of the secret. */
  readonly hint: string;
  /** Null: every model. */
  readonly models: readonly string[] | null;
  /** Null: every scope. */
  readonly scopes: readonly string[] | null;
  readonly jobs_at_once: number | null;
  readonly jobs_per_day: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

/** An uploaded or produced file. */
export interface FileLine {
  readonly id: string;
  readonly filename: string;
  readonly bytes: number;
  readonly mime_type: string;
  readonly file_type: string;
  readonly source: 'upload' | 'input' | 'output';
  readonly dimensions: { readonly width: number; readonly height: number } | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly url: string;
  readonly request_id?: string | null;
  readonly user?: string | null;
}

/** An account at a provider, or the local engine. */
export interface Account {
  readonly account: string;
  readonly provider: string;
  /** How many jobs may run there at once. */
  readonly slots: number;
  readonly running: number;
  readonly models: readonly string[];
  /** While its circuit is open: when it is called again. */
  readonly blocked_until: number | null;
  readonly blocked_why: string | null;
  readonly paused: boolean;
}

/** The figures of the home page. */
export interface Overview {
  readonly at: number;
  readonly waiting: number;
  /** Whether `waiting` is a lower bound: the gateway counts up to a limit. */
  readonly waiting_is_more: boolean;
  readonly running: number;
  /** When the oldest of them was created. */
  readonly waiting_since: number | null;
  readonly completed_in_hour: number;
  readonly failures: readonly {
    readonly model: string;
    readonly code: string;
    readonly message: string;
    readonly jobs: number;
    readonly request_id: string;
  }[];
  /** Uncertain submissions that are not resolved. */
  readonly open_doubts: number;
  /** Callbacks that failed within a day. */
  readonly failed_deliveries: number;
  readonly keys: number;
  readonly not_ready: string | null;
  readonly accounts: readonly Account[];
  readonly results: readonly JobLine[];
}

/** In milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** An amount by the prices of the settings. */
export interface Cost {
  readonly amount: number;
  readonly currency: string;
}

/** Usage by day and name; a name is a model, a key or a user, as `by` says. */
export interface UsageReport {
  readonly by: string;
  readonly from: number;
  readonly to: number;
  readonly jobs: readonly {
    readonly day: number;
    readonly name: string;
    readonly label: string;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
  }[];
  readonly used: readonly {
    readonly day: number;
    readonly name: string;
    readonly label: string;
    readonly unit: string;
    readonly basis: string;
    readonly quantity: number;
  }[];
  /** Of models that have a price in the settings. */
  readonly costs: readonly (Cost & { readonly day: number; readonly name: string; readonly label: string })[];
  readonly speed: readonly {
    readonly name: string;
    readonly label: string;
    readonly jobs: number;
    readonly queue_ms: Percentiles;
    readonly run_ms: Percentiles;
  }[];
  /** More jobs ended than are counted: the newest are. */
  readonly truncated: boolean;
}

/** A person with a name and a password for this console. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: number;
}
