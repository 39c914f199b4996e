/** The shape of an upstream's protocol, as every file of this folder declares one, and of the fake that plays it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Truth } from '../upstream/answer.ts';
import type { Dedupe, UpstreamJob } from '../upstream/jobs.ts';
import type { Kind } from '../upstream/media.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** A request as a protocol reads it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined for what is no JSON. */
  readonly json: unknown;
}

/** What a request asks for. */
export type Question =
  | {
      readonly on: 'create';
      readonly model: string;
      readonly kind: Kind;
      /** What the sender calls it, where it can be looked up by that. */
      readonly task?: string;
      /** What makes a repetition free, where it does. */
      readonly idempotencyKey?: string;
    }
  | { readonly on: 'status' | 'response' | 'cancel'; readonly id: string }
  | { readonly on: 'list'; readonly model: string; readonly task: string }
  | { readonly on: 'upload' };

/** Where an answer says that things are. */
export interface Places {
  /** The address of the fake itself. */
  readonly base: string;
  /** Where the medium of a job lies: at another host, as at every real upstream. */
  readonly mediumOf: (job: UpstreamJob) => string;
}

export type CancelTold = 'cancelled' | 'requested' | 'already_final';

/** One upstream's protocol, written from its public documents: how requests are read, and what is answered truly. */
export interface Protocol {
  readonly dedupe: Dedupe;
  /** The key in the headers, of whatever kind; null where there is none. */
  keyOf(headers: IncomingHttpHeaders): string | null;
  /** Null: there is no such address. */
  read(asked: Asked): Question | null;
  created(job: UpstreamJob, places: Places): Truth;
  /** Absent where the answer to the creation is the result. */
  status?(job: UpstreamJob, places: Places): Truth;
  /** Where the result is asked for by itself. */
  response?(job: UpstreamJob, places: Places): Truth;
  /** Absent where nothing can be cancelled. */
  cancelled?(job: UpstreamJob, told: CancelTold): Truth;
  listed?(jobs: readonly UpstreamJob[], places: Places, asked: Asked): Truth;
  /** What a second creation of a name is answered; absent where names may be used twice. */
  readonly taken?: Truth;
  uploaded?(id: string, places: Places): Truth;
  /** How it writes the id of a job; as the ledger does where it says nothing. */
  nameOf?(id: string): string;
  /** How it calls once there is news; absent where it calls nobody. */
  readonly calls?: Calls;
  readonly unauthorized: Truth;
  readonly missing: Truth;
}

export interface Calls {
  /** Where a creation asks it to call; null where it asks for nothing. */
  addressIn(asked: Asked): string | null;
  /** What it posts there; the answer to a poll where nothing is said. */
  body?(job: UpstreamJob, places: Places): unknown;
  /** What it signs with, by headers; nothing where nothing is said. */
  signed?(url: URL, body: string, by: Signing): Readonly<Record<string, string>>;
}

export interface Signing {
  readonly secret: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Who is called: the gateway by its address on this machine, as if by a proxy that has its public one. */
export interface Called extends Signing {
  readonly publicUrl: string;
  readonly gateway: string;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly json: unknown;
}

export interface Fake extends Upstream {
  /** Every creation as it came, oldest first. */
  received(): readonly Received[];
  /** Everything that the other host was asked, with the headers that came. */
  elsewhere(): readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  readonly elsewhereUrl: string;
  /** From now on no other key is taken; null: any that was given at the start. */
  takeOnly(key: string | null): void;
  /** Every job there has ended. */
  hasten(): void;
  /** Where the creation with that mark asked it to call, last; null where it asked for nothing. */
  addressOf(mark: string): string | null;
  /** Calls there, whatever there is to be told; what is answered. */
  call(mark: string, called: Called): Promise<{ readonly status: number; readonly text: string }>;
}
