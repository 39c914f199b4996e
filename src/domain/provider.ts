import type { JobId } from './ids.ts';
import type { Job, JobErrorCode, OutputRole, Usage } from './job.ts';
import type { MediaFacts } from './media.ts';

/**
 * The port between the queue and whatever makes media: one account at one upstream. A provider is pure
 * protocol: it keeps no queue, sleeps never, retries nothing.
 */
export interface Provider {
  readonly name: string;
  traits(modelId: string): ProviderTraits;
  /** Whether it can work at all, and if not why. */
  ready(): Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: string }>;
  /** One free call with the account's own key, for its operator. Absent where none is known. */
  test?(): Promise<TestResult>;
  /** What is free and may be repeated, before the intent is written: uploads, for one. Absent where there is none. */
  prepare?(task: ProviderTask, signal: AbortSignal): Promise<PrepareResult>;
  /**
   * Exactly one billable call, bounded in time by the provider. Maps every error of the call to `refused`
   * or `unknown`. `prepared` is what `prepare` gave.
   */
  submit(task: ProviderTask, prepared: unknown): Promise<SubmitResult>;
  /** Looks for what an earlier `submit` with this key made. There where `dedupe` is `lookup`. */
  recover?(task: ProviderTask): Promise<RecoverResult>;
  /** Asks once. `ref` is what `submit` or `recover` gave, as it came back from the row: all that is needed of the input stands in it. */
  poll(attempt: ProviderAttempt, ref: unknown): Promise<PollResult>;
  /** Asks the upstream to stop. */
  cancel(attempt: ProviderAttempt, ref: unknown): Promise<CancelResult>;
  /** Frees what was kept for a job that ends. */
  release(attempt: ProviderAttempt): Promise<void>;
}

export interface ProviderTraits {
  /**
   * What an upstream does for an attempt whose outcome is unknown. `replay`: the same key again gives the
   * first answer again, and is never charged twice. `lookup`: it can be asked for the key. `none`: neither.
   */
  readonly dedupe: 'replay' | 'lookup' | 'none';
  /**
   * Whether a second call under a key that the upstream knows is refused there, or found: then a job keeps its key
   * after a refusal, so that a call which arrives after all makes no second charge. Absent: each attempt has its own.
   */
  readonly keepsDedupeKey?: true;
  /** How long after the first call the key is known there. */
  readonly dedupeWindowMs: number;
  /** No call of `submit` takes longer; after it, and a margin, a call cannot arrive late any more. */
  readonly submitTimeoutMs: number;
  /** Whether an accepted submission may cost money. */
  readonly billable: boolean;
  readonly minPollMs: number;
  /** Whether a submission tells the upstream where to call once it has news; absent: it does not. */
  readonly takesCallbacks?: boolean;
}

/** One attempt at one job, as a provider sees it while the upstream works: small, for a hundred thousand are kept at a time. */
export interface ProviderAttempt {
  readonly jobId: JobId;
  readonly modelId: string;
  /** What the upstream calls the model. */
  readonly upstreamModel: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Deterministic from job and attempt, on disk before the call. */
  readonly dedupeKey: string;
}

/** The same with all that is sent. */
export interface ProviderTask extends ProviderAttempt {
  readonly job: Job;
  /** Media reference as it stands in the input → the local file with its bytes, probed. */
  readonly media: Readonly<Record<string, string>>;
  /** What those files hold, by the path of the field they stand in. */
  readonly facts: Readonly<Record<string, MediaFacts>>;
  /** The operator's switches for the route, as its provider's schema left them. */
  readonly routeOptions: unknown;
  /** Where the upstream may call once it has news; null where the gateway has no address for that, or the account takes no calls. */
  readonly callbackUrl: string | null;
  /** Earlier jobs that the input points at, by the path of the field, as far as they were made at an upstream. */
  readonly pinned: Readonly<Record<string, Pinned>>;
}

/** An object of an upstream that an input points at: it is known to the account that made it and to no other. */
export interface Pinned {
  readonly account: string;
  /** What `submit` gave for the job that made it. */
  readonly ref: unknown;
  /** What the upstream calls the one file that is meant; null where it names none, and for a whole job. */
  readonly upstreamId: string | null;
}

/** What an upstream did not like. `message` is fit for the client. */
export interface ProviderError {
  readonly code: JobErrorCode;
  readonly message: string;
  /** Whether a later call may be accepted. */
  readonly retry: boolean;
  /** How long the upstream asks to be left alone; absent where it does not say. */
  readonly retryAfterMs?: number;
  /**
   * Set where not this job is at fault but the account: `rate` asks for a pause, `account` needs its
   * operator (wrong key, no balance), `upstream` is down. The job waits without using up its attempts.
   */
  readonly trouble?: 'rate' | 'account' | 'upstream';
  readonly upstream?: { readonly code: string; readonly message: string };
  /** The beginning of an answer that cannot be read, without the account's secrets: for the operator, never for the client. */
  readonly answer?: string;
}

export type TestResult =
  | { readonly kind: 'accepted' }
  /** Key, balance or rights: the account needs its operator. `reason` is a sentence without its stop. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** An answer that says nothing of the account. */
  | { readonly kind: 'unclear'; readonly reason: string };

export type PrepareResult =
  | { readonly kind: 'prepared'; readonly prepared: unknown }
  | { readonly kind: 'refused'; readonly error: ProviderError };

export type SubmitResult =
  /** `settled`, where the provider can tell of the end by itself, saves the wait for the next poll. */
  | {
      readonly kind: 'accepted';
      readonly ref: unknown;
      readonly firstPollMs: number;
      readonly finished?: Promise<unknown>;
    }
  | { readonly kind: 'done'; readonly production: Production }
  /** Certain: nothing was created. */
  | { readonly kind: 'refused'; readonly error: ProviderError }
  /** It may exist and may be billed. */
  | { readonly kind: 'unknown'; readonly error: ProviderError };

export type RecoverResult =
  | { readonly kind: 'found'; readonly ref: unknown }
  /** The upstream's own word that it has nothing of that key. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'undecided'; readonly retryAfterMs?: number };

export type PollResult =
  | {
      readonly kind: 'running';
      /** How long the upstream asks us to wait; absent where it does not say. */
      readonly nextPollMs?: number;
      /** 0 to 1. */
      readonly progress?: number;
      /** Set where the upstream calls once it has news: until then polls are a safety net. */
      readonly callsBack?: true;
    }
  | { readonly kind: 'succeeded'; readonly production: Production }
  /** `usage`: what was charged all the same. */
  | { readonly kind: 'failed'; readonly error: ProviderError; readonly usage?: readonly Usage[] }
  /** It ended well there and is charged, but its results cannot be read. Asked again for a while, then a doubt. */
  | { readonly kind: 'unreadable'; readonly error: ProviderError; readonly usage?: readonly Usage[] }
  | { readonly kind: 'cancelled' }
  /** The upstream does not know it: not a failure yet. */
  | { readonly kind: 'missing' }
  /** It is lost for certain, and sending it again costs nothing. */
  | { readonly kind: 'lost' }
  /** No answer that says anything: polled again. */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly nextPollMs?: number };

export type CancelResult =
  | { readonly kind: 'cancelled' }
  /** Asked: keep polling. */
  | { readonly kind: 'requested' }
  | { readonly kind: 'unsupported' };

/** What a provider made, before it is collected. */
export interface Production {
  readonly files: readonly ProducedFile[];
  readonly seed?: number;
  readonly bitrate?: number;
  readonly words?: number;
  /** Sentences for the log of the job. */
  readonly notes?: readonly string[];
  /** What the upstream says that it used; absent where it says nothing. */
  readonly usage?: readonly Usage[];
}

export interface ProducedFile {
  readonly role: OutputRole;
  readonly index: number;
  readonly mimeType: string;
  readonly source: ProducedSource;
  /** What the upstream calls it, where a later input may have to name it. */
  readonly upstreamId?: string;
  /** Raw sound carries no header: its figures cannot be probed and are told. */
  readonly pcm?: { readonly sampleRate: number; readonly channels: number };
}

export type ProducedSource =
  /** A local file of the provider's, to be copied into the blobs. */
  | { readonly kind: 'path'; readonly path: string }
  /** An address that the upstream wrote. */
  | { readonly kind: 'url'; readonly url: string };

/** The account of jobs that this machine's own engine makes. */
export const localAccount = 'local';
