import type { Job, JobErrorCode, OutputRole } from './job.ts';
import type { MediaFacts } from './media.ts';

/** The port between the queue and whatever makes media. A provider is pure protocol: it keeps no queue, sleeps never, retries nothing. */
export interface Provider {
  readonly name: string;
  readonly traits: ProviderTraits;
  /** How many jobs it takes at once, in this process. */
  readonly slots: number;
  /** Whether it can work at all, and if not why. */
  ready(): Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: string }>;
  /** Exactly one billable call. Maps every error of the call to `refused` or `unknown`. */
  submit(task: ProviderTask, signal: AbortSignal): Promise<SubmitResult>;
  /** Asks once. `ref` is what `submit` gave, as it came back from the row. */
  poll(task: ProviderTask, ref: unknown): Promise<PollResult>;
  /** Asks the upstream to stop. */
  cancel(task: ProviderTask, ref: unknown): Promise<CancelResult>;
  /** Frees what was kept for a job that ended; called once it is settled. */
  release(task: ProviderTask): Promise<void>;
}

export interface ProviderTraits {
  /** What sending again with the same key does: `replay` never makes a second charge; `none` may. */
  readonly dedupe: 'replay' | 'none';
}

/** One attempt at one job, as a provider sees it. */
export interface ProviderTask {
  readonly job: Job;
  /** Counts from 1. */
  readonly attempt: number;
  /** Deterministic from job and attempt, on disk before the call. */
  readonly dedupeKey: string;
  /** Media reference as it stands in the input → the local file with its bytes, probed. */
  readonly media: Readonly<Record<string, string>>;
  /** What those files hold, by the path of the field they stand in. */
  readonly facts: Readonly<Record<string, MediaFacts>>;
}

/** What an upstream did not like. `message` is fit for the client. */
export interface ProviderError {
  readonly code: JobErrorCode;
  readonly message: string;
  /** Whether a later call may be accepted. */
  readonly retry: boolean;
  readonly upstream?: { readonly code: string; readonly message: string };
}

export type SubmitResult =
  /** `settled`, where the provider can tell of the end by itself, saves the wait for the next poll. */
  | {
      readonly kind: 'accepted';
      readonly ref: unknown;
      readonly firstPollMs: number;
      readonly settled?: Promise<unknown>;
    }
  | { readonly kind: 'done'; readonly production: Production }
  /** Certain: nothing was created. */
  | { readonly kind: 'refused'; readonly error: ProviderError }
  /** It may exist and may be billed. */
  | { readonly kind: 'unknown'; readonly error: ProviderError };

export type PollResult =
  | { readonly kind: 'running'; readonly nextPollMs: number; readonly progress?: number }
  | { readonly kind: 'succeeded'; readonly production: Production }
  | { readonly kind: 'failed'; readonly error: ProviderError }
  | { readonly kind: 'cancelled' }
  /** The upstream does not know it. */
  | { readonly kind: 'missing' };

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
}

export interface ProducedFile {
  readonly role: OutputRole;
  readonly index: number;
  readonly mimeType: string;
  /** A local file of the provider's, to be copied into the blobs. */
  readonly path: string;
  /** Raw sound carries no header: its figures cannot be probed and are told. */
  readonly pcm?: { readonly sampleRate: number; readonly channels: number };
}
