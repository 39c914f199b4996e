/** The ledger of a scripted upstream: what it received and charged, on disk, whatever happens to its answers. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** One line of the ledger; `at` is epoch ms. */
export type Entry =
  /** A creation as it was received. */
  | {
      readonly kind: 'submission';
      readonly at: number;
      /** Counts from 1. */
      readonly number: number;
      readonly key: string;
      readonly model: string;
      readonly mark: string | null;
      readonly idempotencyKey: string | null;
      /** The sender's name for the job: external_task_id, else x-atelier-task, else its Idempotency-Key. */
      readonly task: string | null;
      readonly bodySha256: string;
      /** The act that its answer met, such as `reset at headers`; null for a true answer. */
      readonly act: string | null;
      /** Whether the script lets it become a job. */
      readonly accepts: boolean;
    }
  /** A creation that made a job, which is charged. */
  | {
      readonly kind: 'charge';
      readonly at: number;
      readonly submission: number;
      readonly id: string;
      readonly key: string;
      readonly model: string;
      readonly mark: string | null;
      readonly task: string | null;
      readonly mediumSha256: string;
    }
  /** A creation with the Idempotency-Key of an earlier one that had another body. */
  | { readonly kind: 'contradiction'; readonly at: number; readonly submission: number; readonly id: string }
  /** A creation that was answered with the job of an earlier one. */
  | { readonly kind: 'replay'; readonly at: number; readonly submission: number; readonly id: string }
  | {
      readonly kind: 'cancel';
      readonly at: number;
      readonly id: string;
      readonly mark: string | null;
      /** Whether it came before the end of the job. */
      readonly took: boolean;
    };

export type Submission = Entry & { kind: 'submission' };
export type Charge = Entry & { kind: 'charge' };

export interface Ledger {
  /** Flushed to disk when it returns. */
  write(entry: Entry): void;
  close(): void;
}

/** Appends to the file; `flush` is called after each entry. */
export function openLedger(path: string, flush: (descriptor: number) => void = fsyncSync): Ledger {
  const descriptor = openSync(path, 'a');
  return {
    write(entry) {
      writeSync(descriptor, `${JSON.stringify(entry)}\n`);
      flush(descriptor);
    },
    close: () => closeSync(descriptor),
  };
}

/** All entries, oldest first; empty where there is no file. */
export function readLedger(path: string): readonly Entry[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map((line): Entry => JSON.parse(line));
}

export const submissionsIn = (entries: readonly Entry[]): readonly Submission[] =>
  entries.filter(entry => entry.kind === 'submission');

export const chargesIn = (entries: readonly Entry[]): readonly Charge[] =>
  entries.filter(entry => entry.kind === 'charge');
