/** What a fake upstream needs to know of a provider's protocol: how its requests are read and answered. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Truth } from '../upstream/answer.ts';
import type { Dedupe, UpstreamJob } from '../upstream/jobs.ts';
import type { Kind } from '../upstream/media.ts';

/** A request as a protocol reads it. */
export interface ProtocolRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The whole body. */
  readonly text: string;
  /** The body; undefined where it is not JSON. */
  readonly json: unknown;
}

/** What a request does: one operation of the script, with its fields. */
export type ProtocolCall =
  | {
      readonly on: 'create';
      readonly model: string;
      readonly kind: Kind;
      /** The sender's name for the job, where jobs can be looked up by it. */
      readonly task?: string;
      /** The dedupe key, where a repeated call with it is free. */
      readonly idempotencyKey?: string;
    }
  | { readonly on: 'status' | 'response' | 'cancel'; readonly id: string }
  | { readonly on: 'list'; readonly model: string; readonly task: string }
  | { readonly on: 'upload' };

/** Addresses that answers contain. */
export interface Addresses {
  /** The address of the fake itself. */
  readonly base: string;
  /** Where the medium of a job is fetched: on another host, as at every real upstream. */
  readonly mediumUrlOf: (job: UpstreamJob) => string;
}

/** `requested`: the job runs, and may end otherwise. */
export type CancelOutcome = 'cancelled' | 'requested' | 'already_final';

/** One upstream's protocol, written from its public documents: how requests are read and answered without faults. */
export interface Protocol {
  /** How it deduplicates repeated creations. */
  readonly dedupe: Dedupe;
  /** The API key in the headers; null where there is none. */
  keyOf(headers: IncomingHttpHeaders): string | null;
  /** Null: no such address, answered with `missing`. */
  read(request: ProtocolRequest): ProtocolCall | null;
  created(job: UpstreamJob, addresses: Addresses): Truth;
  /** Absent where the answer to the creation is the result. */
  status?(job: UpstreamJob, addresses: Addresses): Truth;
  /** Present where the result has an address of its own. */
  response?(job: UpstreamJob, addresses: Addresses): Truth;
  /** Absent where nothing can be cancelled. */
  cancelled?(job: UpstreamJob, outcome: CancelOutcome): Truth;
  /** Jobs of one model and name; present where they can be looked up. */
  listed?(jobs: readonly UpstreamJob[], addresses: Addresses, request: ProtocolRequest): Truth;
  /** The answer to a second creation with the same name; absent where names may repeat. */
  readonly duplicateTask?: Truth;
  /** The answer to an upload that got this id. */
  uploaded?(id: string, addresses: Addresses): Truth;
  /** The id of a job as its answers show it. Default: as in the ledger. */
  nameOf?(id: string): string;
  /** Absent where it sends no webhooks. */
  readonly webhook?: WebhookForm;
  /** What it publishes beside its jobs, such as the schema of a model; null for any other request. */
  published?(request: ProtocolRequest): Truth | null;
  readonly unauthorized: Truth;
  readonly missing: Truth;
}

/** How it calls the gateway at a change of a job. */
export interface WebhookForm {
  /** The callback address in a creation; null where there is none. */
  urlIn(request: ProtocolRequest): string | null;
  /** The JSON that it posts. Default: the answer to a poll. */
  body?(job: UpstreamJob, addresses: Addresses): unknown;
  /** Headers with its signature. Default: none. */
  signatureOf?(url: URL, body: string, signing: Signing): Readonly<Record<string, string>>;
}

export interface Signing {
  readonly secret: string;
  /** Epoch ms. */
  readonly now: number;
}

/** The gateway to call: `gateway` is its address on this machine, used in place of its public one. */
export interface WebhookTarget extends Signing {
  readonly publicUrl: string;
  readonly gateway: string;
}
