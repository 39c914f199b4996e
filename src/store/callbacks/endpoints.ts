/** How receivers of callbacks (webhooks) are doing: the newest deliveries by user and host. */
import { parseQueueKey } from '../../domain/delivery.ts';
import type { Row, Statements } from '../db/connection.ts';
import { integer, integerOrNull, text, textOrNull } from '../db/rows.ts';

/** Deliveries that are counted: the newest of all users. */
export const countedDeliveries = 1_000;
/** Endpoints that are listed. */
const maxEndpoints = 50;

/** One host, as one user's callbacks reach it. */
export interface Endpoint {
  readonly userName: string;
  readonly host: string;
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number;
  /** Epoch ms of the next attempt; null where nothing is pending. */
  readonly nextAttemptAt: number | null;
  /** The newest attempt that was not answered 2xx; null where there is none. */
  readonly lastFailure: EndpointFailure | null;
}

/** An attempt that failed. */
export interface EndpointFailure {
  /** Epoch ms. */
  readonly at: number;
  /** HTTP status; null without an answer. */
  readonly code: number | null;
  /** First bytes of the answer, or why there was none. */
  readonly answer: string;
}

const newest = `SELECT id, line, user_id, state, due_at FROM deliveries ORDER BY id DESC LIMIT ${countedDeliveries}`;

/** Those of the newest deliveries; the one with the newest callback first. */
export async function listEndpoints(db: Statements): Promise<readonly Endpoint[]> {
  const rows = await db.read(
    `SELECT line, users.name AS user_name,
       sum(CASE WHEN state = 'delivered' THEN 1 ELSE 0 END) AS delivered,
       sum(CASE WHEN state = 'failed' THEN 1 ELSE 0 END) AS failed,
       sum(CASE WHEN state = 'waiting' THEN 1 ELSE 0 END) AS pending,
       min(CASE WHEN state = 'waiting' THEN due_at END) AS next_attempt_at
     FROM (${newest}) AS newest JOIN users ON users.id = newest.user_id
     GROUP BY line, users.name ORDER BY max(newest.id) DESC LIMIT ${maxEndpoints}`,
  );
  const failures = await readLastFailures(db);
  return rows.map(row => ({
    userName: text(row, 'user_name'),
    host: parseQueueKey(text(row, 'line')).host,
    delivered: integer(row, 'delivered'),
    failed: integer(row, 'failed'),
    pending: integer(row, 'pending'),
    nextAttemptAt: integerOrNull(row, 'next_attempt_at'),
    lastFailure: failures.get(text(row, 'line')) ?? null,
  }));
}

/** By queue key. What was superseded was not sent, which says nothing of its receiver. */
async function readLastFailures(db: Statements): Promise<ReadonlyMap<string, EndpointFailure>> {
  const rows = await db.read(
    `SELECT line, at, code, answer FROM (
       SELECT line, at, code, answer, row_number() OVER (PARTITION BY line ORDER BY at DESC) AS place
       FROM (${newest}) AS newest JOIN delivery_tries ON delivery_id = newest.id
       WHERE state <> 'superseded' AND answer IS NOT NULL AND (code IS NULL OR code < 200 OR code > 299)
     ) AS failures WHERE place = 1`,
  );
  return new Map(rows.map(row => [text(row, 'line'), failureFromRow(row)]));
}

const failureFromRow = (row: Row): EndpointFailure => ({
  at: integer(row, 'at'),
  code: integerOrNull(row, 'code'),
  answer: textOrNull(row, 'answer') ?? '',
});
