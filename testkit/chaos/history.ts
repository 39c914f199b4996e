/** The history of a chaos run: every call of every client with its answer, in memory and as JSON lines. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { JobStatus } from '../../src/domain/job.ts';

/** One call of a client and its answer. `begin` and `end` are `performance.now()` of the one process that calls. */
export type Call = {
  readonly client: string;
  readonly begin: number;
  readonly end: number;
} & (
  | {
      readonly call: 'create';
      /** Stands in the input, so that rows and the upstream's ledger can be matched to it. */
      readonly mark: string;
      readonly model: string;
      readonly idempotencyKey: string | null;
      readonly externalTaskId: string | null;
      readonly answer: Created;
    }
  /** The HTTP status of the answer; null where none came. */
  | { readonly call: 'cancel'; readonly id: string; readonly code: number | null }
  | { readonly call: 'read'; readonly id: string; readonly seen: Seen }
);

export type Created =
  | { readonly kind: 'acked'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: number; readonly detail: string }
  /** No answer: stored or not, both are correct. */
  | { readonly kind: 'maybe' };

/** One view of a job by a client. */
export interface Seen {
  /** HTTP status of the answer. */
  readonly code: number;
  readonly status: JobStatus | null;
  /** The code of the job's error; null also while it is unfinished. */
  readonly error: string | null;
  /** Of the body without the signatures of file URLs, which change at each read; null while unfinished. */
  readonly bodySha256: string | null;
  readonly mediumSha256: string | null;
}

export interface History {
  /** All calls so far, in the order of their ends. */
  readonly calls: readonly Call[];
  write(call: Call): void;
  close(): void;
}

/** Writes to a new file at this path; a call is in it when `write` returns. */
export function openHistory(path: string): History {
  const calls: Call[] = [];
  const descriptor = openSync(path, 'w');
  return {
    calls,
    write(call) {
      calls.push(call);
      writeSync(descriptor, `${JSON.stringify(call)}\n`);
    },
    close: () => closeSync(descriptor),
  };
}
