/** The types with which a test describes a provider to the conformance suite. */
import type { z } from 'zod';
import type { ExampleMedia } from '../../testkit/clients/example-jobs.ts';
import type { Protocol } from '../../testkit/upstreams/protocol.ts';
export type Json = z.infer<ReturnType<typeof z.json>>;
/** An answer in the place of the true one; with 200, members of the true one. */
export type UpstreamAnswer = readonly [status: number, body: Readonly<Record<string, Json>>];

/** A provider as the suite sees it. */
export interface Conformance {
  readonly provider: string;
  readonly protocol: Protocol;
  /** What the operator writes for an account there, beside `provider`; `env:CANARY` is the key. */
  readonly account: (url: string) => Readonly<Record<string, unknown>>;
  /** Settings in the routes of a model, beside the account. */
  readonly switches?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What each model's input becomes, exactly; every model that is served, at least once. */
  readonly requests: readonly GoldenRequest[];
  /** The model and the body of all jobs with faults; the mark is part of a text. */
  readonly model: string;
  readonly body: (mark: string, earlier?: Earlier) => unknown;
  /** What the happy job of that model used, as it was reported. */
  readonly reported: readonly (readonly [unit: string, quantity: number])[];
  /** Valid inputs that the upstream cannot take (of the earlier job, as a function), and the sentence of the refusal. */
  readonly gaps: readonly (readonly [model: string, body: Gap, sentence: string])[];
  /** An error body that contains this message. */
  readonly says: (words: string) => unknown;
  /** Answers to a submission. `later`: it waits and is made then; `unknown`: the outcome is uncertain; else how the job ends. */
  readonly refusals: Readonly<Record<string, readonly [...UpstreamAnswer, comesTo: string]>>;
  /** What a poll reports of a run that failed, and how the job ends. */
  readonly failures: Readonly<
    Record<string, readonly [on: 'status' | 'response', ...UpstreamAnswer, error: string]>
  >;
  /** Where the result of the happy job stands. */
  readonly result: ResultPlace;
  /** A state that is not documented, as members of the answer to a poll. */
  readonly unknownState: Readonly<Record<string, Json>>;
  /** Whether the upstream can fetch files of the gateway: links to them are written `<link>`. */
  readonly hasPublicUrl?: true;
  /** A job that runs there cannot be stopped, so no cancel is sent. */
  readonly cancelsWaitingAlone?: true;
  /** The answer to the submission contains the bytes of the result: they are lost with the process that has them. */
  readonly bytesInside?: true;
  /**
   * A job that inputs may point at, made before all others. With a `ref` it is made on this machine and then booked
   * as one of the account's, for an upstream whose first jobs come from elsewhere.
   */
  readonly earlier?: { readonly model: string; readonly body: unknown; readonly ref?: unknown };
}

/** Where a success names its result, for the suite to make it odd. Paths are names of members, and places in lists. */
export interface ResultPlace {
  /** The answer: to the submission, to a poll, or to the request for the result. */
  readonly on: 'created' | 'status' | 'response';
  /** Null where the answer names none: it is at an address that the gateway knows. */
  readonly path: readonly string[] | null;
  /** Whether the value there may be a list of results. */
  readonly isList?: true;
  /** Members without which the result is still a result. */
  readonly mayBeNull: readonly (readonly string[])[];
  /** The account charges nothing, so no submission is uncertain for its operator. */
  readonly isFree?: true;
  /** The answer to the submission is the whole result, and no poll follows. */
  readonly isWhole?: true;
}

export type Gap = Readonly<Record<string, unknown>> | ((earlier: Earlier) => unknown);

export interface GoldenRequest {
  readonly model: string;
  /** The model's first example where it is absent. */
  readonly input?: (media: ExampleMedia, earlier: Earlier) => unknown;
  readonly path: string;
  /** Media are written `<data:image/jpeg>`, `<base64>`, `<upload>`, `<link>`; our key for the attempt `<key>`, where to call `<call>`. */
  readonly body: unknown;
}

/** A job that others may point at, and the first file that it made. */
export interface Earlier {
  readonly jobId: string;
  readonly fileId: string;
}
