/** The port to providers: what the worker needs from one account at one upstream. */
import type { JobId } from './ids.ts';
import type { Job, JobErrorCode, OutputRole } from './job.ts';
import type { MediaFacts } from './media.ts';
import type { Usage } from './usage.ts';

/** One account at one upstream. A provider is protocol only: it has no queue, never sleeps and retries nothing. */
export interface Provider {
  readonly name: string;
  traits(modelId: string): ProviderTraits;
  /** Whether it can work at all; the reason is for the operator. */
  ready(): Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: string }>;
  /** One free call with the account's key, for its operator. Absent where the upstream has none. */
  test?(): Promise<TestResult>;
  /** One free call that shows whether the upstream has the model of a route. Absent where it has none. */
  testRoute?(route: ProviderRoute): Promise<TestResult>;
  /** Free, repeatable work before the intent is written, such as uploads. Absent where there is none. */
  prepare?(task: ProviderTask, signal: AbortSignal): Promise<PrepareResult>;
  /**
   * Exactly one billable call, with a timeout of the provider. Maps every error of the call to `refused` or `unknown`.
   * `prepared` is the value of `prepare`.
   */
  submit(task: ProviderTask, prepared: unknown): Promise<SubmitResult>;
  /** Looks up what an earlier `submit` with this key created. Present where `dedupe` is `lookup`. */
  recover?(task: ProviderTask): Promise<RecoverResult>;
  /**
   * Lists the calls of the same input that the upstream accepted since about `sentAt` (epoch ms). Free. Present where
   * calls can be listed though they have no key of ours: it narrows an uncertain submission, and proves no absence.
   */
  candidates?(task: ProviderTask, sentAt: number): Promise<CandidateList>;
  /** Polls once. `ref` is the value of `submit` or `recover`, read back from its row; it contains all that polling needs. */
  poll(attempt: ProviderAttempt, ref: unknown): Promise<PollResult>;
  /** Requests the upstream to cancel. */
  cancel(attempt: ProviderAttempt, ref: unknown): Promise<CancelResult>;
  /** Frees what the provider stored for a job that ended. */
  release(attempt: ProviderAttempt): Promise<void>;
}

/** A route as the operator wrote it. */
export interface ProviderRoute {
  readonly modelId: string;
  /** The upstream's id of the model. */
  readonly upstreamModel: string;
  /** Parsed by the provider's schema. */
  readonly routeOptions: unknown;
}

/** How an upstream behaves for one model. */
export interface ProviderTraits {
  /**
   * How an attempt with an unknown outcome is resolved. `replay`: a call with the same key returns the first answer
   * again and is never charged twice. `lookup`: it can be looked up by its key. `none`: neither.
   */
  readonly dedupe: 'replay' | 'lookup' | 'none';
  /**
   * Whether the upstream refuses a second call with a known key: then a job keeps its key after a refusal, so that a
   * call that arrives late causes no second charge. Absent: each attempt has a new key.
   */
  readonly keepsDedupeKey?: true;
  /** How long after the first call the upstream remembers the key. */
  readonly dedupeWindowMs: number;
  /** Upper bound of a call of `submit`; after it, and a margin, a call can no longer arrive late. */
  readonly submitTimeoutMs: number;
  /** Whether an accepted submission may cost money. */
  readonly billable: boolean;
  readonly minPollMs: number;
  /** Whether the operator allows a listed call to be adopted where it alone can be the uncertain one; absent: no. */
  readonly adoptsCandidates?: true;
  /**
   * What the upstream charges of an accepted job that comes to nothing: one that fails there, and one that a client
   * cancelled and the upstream could not stop. What it reports counts first. Absent, or not documented there: nothing.
   */
  readonly charges?: { readonly failed: 'nothing' | 'all'; readonly cancelled: 'nothing' | 'all' };
  /** Whether a submission registers a webhook of ours at the upstream; absent: no. */
  readonly takesCallbacks?: boolean;
}

/** One attempt of one job, as polling needs it: small, because a hundred thousand are in memory at once. */
export interface ProviderAttempt {
  readonly jobId: JobId;
  readonly modelId: string;
  /** The upstream's id of the model. */
  readonly upstreamModel: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Deterministic by job and attempt, on disk before the call. */
  readonly dedupeKey: string;
}

/** The same with everything that is submitted. */
export interface ProviderTask extends ProviderAttempt {
  readonly job: Job;
  /** Media reference in the input → path of the local, probed file. */
  readonly media: Readonly<Record<string, string>>;
  /** Facts of those files, by the path of their field. */
  readonly facts: Readonly<Record<string, MediaFacts>>;
  /** The operator's options of the route, parsed by the provider's schema. */
  readonly routeOptions: unknown;
  /** URL of our webhook for the upstream; null where the gateway has no public URL, or the account accepts no calls. */
  readonly callbackUrl: string | null;
  /** Earlier jobs that the input refers to, by the path of the field, where an upstream ran them. */
  readonly pinned: Readonly<Record<string, Pinned>>;
}

/** An object of an upstream that an input refers to: it is known only to the account that created it. */
export interface Pinned {
  readonly account: string;
  /** The `ref` of the job that created it. */
  readonly ref: unknown;
  /** The upstream's id of the file referred to; null where it has none, and for a whole job. */
  readonly upstreamId: string | null;
}

/** An error of an upstream. `message` is a sentence for the client. */
export interface ProviderError {
  readonly code: JobErrorCode;
  readonly message: string;
  /** Whether a later call may be accepted. */
  readonly retry: boolean;
  /** The upstream's retry-after; absent where it sends none. */
  readonly retryAfterMs?: number;
  /**
   * Set for errors of the account instead of the job: `rate` limited, `account` needs its operator (wrong key, no
   * balance), `upstream` is down. The job is requeued without using up its attempts.
   */
  readonly trouble?: 'rate' | 'account' | 'upstream';
  readonly upstream?: { readonly code: string; readonly message: string };
  /** Start of a response that cannot be parsed, without the account's secrets: for the operator, never for the client. */
  readonly answer?: string;
}

/** What a free call showed of an account. */
export type TestResult =
  | { readonly kind: 'accepted' }
  /** Wrong key, no balance or missing permission: needs the operator. `reason` is a sentence without a full stop. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** A response that does not tell whether the account works. */
  | { readonly kind: 'unclear'; readonly reason: string };

/** What was done before the billable call, such as uploads; it is stored with the attempt. */
export type PrepareResult =
  | { readonly kind: 'prepared'; readonly prepared: unknown }
  | { readonly kind: 'refused'; readonly error: ProviderError };

/** The answer to the billable call. `unknown` is what makes a submission uncertain. */
export type SubmitResult =
  /** `finished` resolves at the end of the job, where the provider observes it, and saves the wait for the next poll. */
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

/** What a lookup found of a submission whose answer was lost. */
export type RecoverResult =
  | { readonly kind: 'found'; readonly ref: unknown }
  /** The upstream confirms that it has nothing with that key. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'undecided'; readonly retryAfterMs?: number };

export type CandidateList =
  | {
      readonly kind: 'listed';
      readonly candidates: readonly SubmissionCandidate[];
      /** False where an entry could not be read: it may be the wanted one. */
      readonly isWhole: boolean;
    }
  /** No readable list: it may be requested again. */
  | { readonly kind: 'undecided'; readonly retryAfterMs?: number };

/** A call in an upstream's list that may be the one whose answer was lost. */
export interface SubmissionCandidate {
  readonly upstreamId: string;
  /** Epoch ms, by the upstream's clock. */
  readonly sentAt: number;
  /** Whether it was sent within a minute of ours. */
  readonly isNear: boolean;
  /** Whether its input is the same member by member; false: apart from the addresses of media. */
  readonly isExact: boolean;
}

/** The state of a job at the upstream. */
export type PollResult =
  | {
      readonly kind: 'running';
      /** Delay requested by the upstream; absent where it requests none. */
      readonly nextPollMs?: number;
      /** 0 to 1. */
      readonly progress?: number;
      /** Set where the upstream calls our webhook: polls are only a fallback. */
      readonly callsBack?: true;
    }
  | { readonly kind: 'succeeded'; readonly production: Production }
  /** `usage`: what was charged in spite of the failure. */
  | { readonly kind: 'failed'; readonly error: ProviderError; readonly usage?: readonly Usage[] }
  /** It succeeded and is charged, but its outputs cannot be read. Polled again for a while, then an uncertain submission. */
  | { readonly kind: 'unreadable'; readonly error: ProviderError; readonly usage?: readonly Usage[] }
  | { readonly kind: 'cancelled' }
  /** The upstream does not know it; not a failure yet. */
  | { readonly kind: 'missing' }
  /** Certainly lost, and resubmitting costs nothing. */
  | { readonly kind: 'lost' }
  /** No usable response: polled again. */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly nextPollMs?: number };

/** Whether the upstream stops the job. */
export type CancelResult =
  | { readonly kind: 'cancelled' }
  /** Accepted, but not cancelled yet: keep polling. */
  | { readonly kind: 'requested' }
  | { readonly kind: 'unsupported' };

/** The outputs of a provider, before they are stored. */
export interface Production {
  readonly files: readonly ProducedFile[];
  readonly seed?: number;
  readonly bitrate?: number;
  readonly words?: number;
  /** Sentences for the timeline of the job. */
  readonly notes?: readonly string[];
  /** Usage reported by the upstream; absent where it reports none. */
  readonly usage?: readonly Usage[];
}

export interface ProducedFile {
  readonly role: OutputRole;
  readonly index: number;
  readonly mimeType: string;
  readonly source: ProducedSource;
  /** The upstream's id of it, where a later input may have to name it. */
  readonly upstreamId?: string;
  /** Raw audio has no header, so its format cannot be probed and is stated here. */
  readonly pcm?: { readonly sampleRate: number; readonly channels: number };
}

export type ProducedSource =
  /** A local file of the provider, to be copied into the blob store. */
  | { readonly kind: 'path'; readonly path: string }
  /** A URL of the upstream. */
  | { readonly kind: 'url'; readonly url: string };

/** The account name of jobs that the local engine runs. */
export const localAccount = 'local';
