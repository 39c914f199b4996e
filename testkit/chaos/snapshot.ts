/** A snapshot of the rows that the checker of a chaos run reads. */
import { listUncertainSubmissions } from '../../src/store/attempts/uncertain.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { integer, integerOrNull, text, textOrNull } from '../../src/store/db/rows.ts';
import { checkMoney } from '../../src/store/money/check.ts';

/** Rows after every job ended. */
export interface Snapshot {
  readonly jobs: readonly JobRow[];
  readonly attempts: readonly AttemptRow[];
  /** Job ids on the operator's list of uncertain submissions. */
  readonly uncertainJobIds: readonly string[];
  readonly holds: readonly HoldRow[];
  /** What does not add up in the books, as `atelier money check` says it. */
  readonly moneyFaults: readonly string[];
}

export interface HoldRow {
  readonly jobId: string;
  readonly state: string;
  /** Millionths; null until it ends. */
  readonly charged: number | null;
}

export interface JobRow {
  readonly id: string;
  readonly model: string;
  readonly mark: string;
  readonly state: string;
  readonly error: string | null;
  /** Worker crashes that were attributed to it. */
  readonly crashes: number;
  readonly claim: number;
  /** How often it was requeued because its worker's lease expired. */
  readonly requeues: number;
  readonly cancelRequested: boolean;
  readonly externalTaskId: string | null;
  readonly callbackUrl: string | null;
}

export interface AttemptRow {
  readonly jobId: string;
  readonly number: number;
  readonly dedupeKey: string;
  readonly answer: string | null;
  /** How often the call was made. */
  readonly sends: number;
  /** Whether its outcome at the upstream is unknown. */
  readonly uncertain: boolean;
}

const longestList = 1_000_000;

/** Every input carries a mark: it matches a row to its client's calls and to the upstream's ledger. */
export const markPattern = /\bmark-[0-9a-z]+\b/;

export async function takeSnapshot(db: Connection): Promise<Snapshot> {
  const jobs = await db.read(
    `SELECT id, model_id, input, state, error, deaths, claim, cancel_requested_at, external_task_id, callback_url,
       (SELECT count(*) FROM events WHERE job_id = jobs.id AND message = 'Requeued: worker lease expired') AS requeues
     FROM jobs ORDER BY id`,
  );
  const attempts = await db.read(
    'SELECT job_id, number, dedupe_key, answer, sends, doubted_at FROM attempts ORDER BY job_id, number',
  );
  const uncertain = await listUncertainSubmissions(db, longestList);
  const holds = await db.read('SELECT job_id, state, charged FROM money_holds ORDER BY job_id');
  const { faults: moneyFaults } = await checkMoney(db);
  return {
    moneyFaults,
    holds: holds.map(row => ({
      jobId: text(row, 'job_id'),
      state: text(row, 'state'),
      charged: integerOrNull(row, 'charged'),
    })),
    uncertainJobIds: uncertain.map(({ jobId }) => jobId),
    jobs: jobs.map(row => {
      const error = textOrNull(row, 'error');
      return {
        id: text(row, 'id'),
        model: text(row, 'model_id'),
        mark: markPattern.exec(text(row, 'input'))?.[0] ?? '',
        state: text(row, 'state'),
        error: error === null ? null : JSON.parse(error).code,
        crashes: integer(row, 'deaths'),
        claim: integer(row, 'claim'),
        requeues: integer(row, 'requeues'),
        cancelRequested: integerOrNull(row, 'cancel_requested_at') !== null,
        externalTaskId: textOrNull(row, 'external_task_id'),
        callbackUrl: textOrNull(row, 'callback_url'),
      };
    }),
    attempts: attempts.map(row => ({
      jobId: text(row, 'job_id'),
      number: integer(row, 'number'),
      dedupeKey: text(row, 'dedupe_key'),
      answer: textOrNull(row, 'answer'),
      sends: integer(row, 'sends'),
      uncertain: integerOrNull(row, 'doubted_at') !== null,
    })),
  };
}
