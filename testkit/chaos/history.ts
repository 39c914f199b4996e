/** Records every call of every client and what came of it. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { JobStatus } from '../../src/domain/job.ts';

/** One call of a client and what came of it. `begin` and `end` are monotonic, of the one process that calls. */
export type Call = {
  readonly client: string;
  readonly begin: number;
  readonly end: number;
} & (
  | {
      readonly call: 'create';
      /** Stands in the input, so that rows and the upstream's ledger tell whose it is. */
      readonly mark: string;
      readonly model: string;
      readonly idempotencyKey: string | null;
      readonly externalTaskId: string | null;
      readonly answer: Created;
    }
  /** The code of the answer; null where none came. */
  | { readonly call: 'cancel'; readonly id: string; readonly code: number | null }
  | { readonly call: 'read'; readonly id: string; readonly seen: Seen }
);

export type Created =
  | { readonly kind: 'acked'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: number; readonly detail: string }
  /** No answer: stored or not, both are fine. */
  | { readonly kind: 'maybe' };

/** What a client saw of a job. */
export interface Seen {
  readonly code: number;
  readonly status: JobStatus | null;
  /** The code of the job's error; null also while it is unfinished. */
  readonly error: string | null;
  /** Of the body without what is signed anew at each read; null while unfinished. */
  readonly bodySha256: string | null;
  readonly mediumSha256: string | null;
}

export interface History {
  readonly calls: readonly Call[];
  write(call: Call): void;
  close(): void;
}

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
