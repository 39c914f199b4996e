/** Reads the rows once every job has ended. */
import { listUncertainSubmissions } from '../../src/store/attempts/uncertain.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { integer, integerOrNull, text, textOrNull } from '../../src/store/db/rows.ts';

/** The rows once everything ended, as the checker reads them. */
export interface Snapshot {
  readonly jobs: readonly JobRow[];
  readonly attempts: readonly AttemptRow[];
  /** The jobs on the operator's list of doubts. */
  readonly doubts: readonly string[];
}

export interface JobRow {
  readonly id: string;
  readonly model: string;
  readonly mark: string;
  readonly state: string;
  readonly error: string | null;
  readonly deaths: number;
  readonly claim: number;
  /** How often it was requeued from a worker that died. */
  readonly rescues: number;
  readonly cancelAsked: boolean;
  readonly externalTaskId: string | null;
  readonly callbackUrl: string | null;
}

export interface AttemptRow {
  readonly jobId: string;
  readonly number: number;
  readonly dedupeKey: string;
  readonly answer: string | null;
  readonly sends: number;
  readonly doubted: boolean;
}

const mostDoubts = 1_000_000;

export const markPattern = /\bmark-[0-9a-z]+\b/;

export async function takeSnapshot(db: Connection): Promise<Snapshot> {
  const jobs = await db.read(
    `SELECT id, model_id, input, state, error, deaths, claim, cancel_requested_at, external_task_id, callback_url,
       (SELECT count(*) FROM events WHERE job_id = jobs.id AND message = 'Requeued: worker lease expired') AS rescues
     FROM jobs ORDER BY id`,
  );
  const attempts = await db.read(
    'SELECT job_id, number, dedupe_key, answer, sends, doubted_at FROM attempts ORDER BY job_id, number',
  );
  const doubts = await listUncertainSubmissions(db, mostDoubts);
  return {
    doubts: doubts.map(({ jobId }) => jobId),
    jobs: jobs.map(row => {
      const error = textOrNull(row, 'error');
      return {
        id: text(row, 'id'),
        model: text(row, 'model_id'),
        mark: markPattern.exec(text(row, 'input'))?.[0] ?? '',
        state: text(row, 'state'),
        error: error === null ? null : JSON.parse(error).code,
        deaths: integer(row, 'deaths'),
        claim: integer(row, 'claim'),
        rescues: integer(row, 'rescues'),
        cancelAsked: integerOrNull(row, 'cancel_requested_at') !== null,
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
      doubted: integerOrNull(row, 'doubted_at') !== null,
    })),
  };
}
