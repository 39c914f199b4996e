/** What the admin API answers; times are Unix seconds, of jobs with milliseconds behind the point. */

export type Role = 'viewer' | 'developer' | 'admin';

export interface Session {
  readonly name: string;
  readonly role: Role;
  /** Null: logged in by the admin token. */
  readonly person: string | null;
  readonly csrf_token: string | null;
  readonly ends_at: number | null;
}

/** One of those who are logged in. */
export interface SessionLine {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly user_agent: string;
  readonly began_at: number;
  readonly last_seen_at: number;
  /** Whether it is that of this browser. */
  readonly current: boolean;
}

/** Whether the first account is still to be made. */
export interface Setup {
  readonly open: boolean;
}

/** What a new installation is looked at for; null where nothing is wrong. */
export interface Checks {
  readonly public_url: string;
  readonly storage_fault: string | null;
  readonly not_ready: string | null;
}

export interface Page<Line> {
  readonly data: readonly Line[];
  readonly has_more: boolean;
  readonly next_after?: string | null;
  readonly last_id?: string | null;
}

export type JobState = 'available' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface JobError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly provider?: { readonly code: string; readonly message: string };
}

export interface Output {
  readonly role: string;
  readonly index: number;
  readonly file_id: string;
  readonly file_name: string;
  readonly mime_type: string;
  readonly bytes: number;
  /** Relative to the gateway. */
  readonly url: string;
  readonly expires_at: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly seconds: number | null;
  readonly fps: number | null;
}

export interface JobLine {
  readonly request_id: string;
  readonly model: string;
  readonly state: JobState;
  readonly prompt_start: string;
  readonly user: string;
  readonly key: { readonly id: string; readonly name: string | null; readonly hint: string };
  readonly account: string | null;
  readonly external_task_id: string | null;
  readonly progress: number | null;
  readonly error: JobError | null;
  readonly cancel_requested: boolean;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly expires_at: number;
  readonly outputs: readonly Output[];
}

export interface Attempt {
  readonly number: number;
  readonly provider: string;
  readonly account: string;
  readonly started_at: number;
  readonly answered_at: number | null;
  readonly answer: string | null;
  readonly error: { readonly code?: string; readonly message?: string } | null;
  readonly call_count: number;
  readonly billable: boolean;
  readonly in_doubt: boolean;
}

export interface Try {
  readonly number: number;
  readonly at: number;
  readonly took_ms: number | null;
  readonly code: number | null;
  readonly answer: string | null;
}

export interface Delivery {
  readonly id: string;
  readonly request_id: string;
  readonly user: string;
  readonly status: string;
  readonly url: string;
  readonly state: 'waiting' | 'delivered' | 'failed' | 'superseded';
  readonly try_count: number;
  readonly created_at: number;
  readonly due_at: number | null;
  readonly ended_at: number | null;
}

export interface DeliveryDetail extends Delivery {
  readonly tries: readonly Try[];
}

export interface AuditLine {
  readonly number: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface JobDetail extends JobLine {
  readonly queue_position: number | null;
  readonly claims: number;
  readonly deaths: number;
  readonly due_at: number;
  readonly callback_url: string | null;
  readonly inference_ms: number | null;
  readonly input: unknown;
  readonly result: unknown;
  readonly attempts: readonly Attempt[];
  readonly events: readonly { readonly at: number; readonly level: string; readonly message: string }[];
  readonly deliveries: readonly DeliveryDetail[];
  readonly usage: readonly { readonly unit: string; readonly quantity: number; readonly basis: string }[];
  /** Null where its model has no price. */
  readonly cost: Cost | null;
  readonly audit: readonly AuditLine[];
}

export interface ModelLine {
  readonly id: string;
  readonly kind: 'video' | 'image' | 'speech';
  readonly family: string;
  readonly title: string;
  readonly summary: string;
  readonly accepts_callback: boolean;
  /** Kinds of media that its input has a place for. */
  readonly takes: readonly string[];
  /** Of the last seven days; null where nothing of it ended well. */
  readonly run_ms: Percentiles | null;
  /** By unit; null where none is set. */
  readonly price: Readonly<Record<string, number>> | null;
  readonly currency: string | null;
}

export interface ModelDetail extends Omit<ModelLine, 'takes' | 'run_ms' | 'price' | 'currency'> {
  readonly limits: { readonly max_body_bytes: number };
  readonly input_schema: PublishedSchema;
  readonly rules: readonly { readonly says: string; readonly fields: readonly string[] }[];
  readonly examples: readonly unknown[];
}

export interface MediaLimits {
  readonly kind: 'image' | 'video' | 'audio';
  readonly forms: readonly string[];
  readonly formats: readonly string[];
  readonly maxBytes?: number;
  readonly sides?: { readonly min: number | null; readonly max: number | null };
  readonly ratio?: { readonly min: number; readonly max: number };
  readonly seconds?: { readonly min: number; readonly max: number };
}

/** The part of JSON Schema that models are described by: a field that may be left out may be null, too. */
export interface PublishedSchema extends SchemaHints {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly items?: PublishedSchema;
  readonly oneOf?: readonly PublishedSchema[];
  readonly anyOf?: readonly PublishedSchema[];
  readonly enum?: readonly (string | number | null)[];
}

/** The same as a form draws it, without null. */
export interface Schema extends SchemaHints {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly (string | number)[];
}

/** Bounds, words and our own hints. */
interface SchemaHints {
  readonly title?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  /** The field that may stand instead of this one, which is required without it. */
  readonly requiredUnless?: string;
  readonly const?: string | number;
  readonly default?: unknown;
  /** Values to choose from, though any other may be written. */
  readonly examples?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly widget?: string;
  readonly group?: string;
  readonly unit?: string;
  readonly media?: MediaLimits;
}

export interface KeyLine {
  readonly id: string;
  readonly user: string;
  readonly name: string | null;
  readonly hint: string;
  readonly models: readonly string[] | null;
  readonly scopes: readonly string[] | null;
  readonly jobs_at_once: number | null;
  readonly jobs_per_day: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

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

export interface Account {
  readonly account: string;
  readonly provider: string;
  readonly slots: number;
  readonly running: number;
  readonly models: readonly string[];
  readonly blocked_until: number | null;
  readonly blocked_why: string | null;
  readonly paused: boolean;
}

export interface Overview {
  readonly at: number;
  readonly waiting: number;
  readonly waiting_is_more: boolean;
  readonly running: number;
  readonly waiting_since: number | null;
  readonly completed_in_hour: number;
  readonly failures: readonly {
    readonly model: string;
    readonly code: string;
    readonly message: string;
    readonly jobs: number;
    readonly request_id: string;
  }[];
  readonly open_doubts: number;
  readonly failed_deliveries: number;
  readonly keys: number;
  readonly not_ready: string | null;
  readonly accounts: readonly Account[];
  readonly results: readonly JobLine[];
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

export interface Cost {
  readonly amount: number;
  readonly currency: string;
}

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
  readonly truncated: boolean;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: number;
}
