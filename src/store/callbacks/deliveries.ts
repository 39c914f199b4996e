/** Deliveries of callbacks: enqueued with a change of status, claimed by queue key, settled after each attempt. */
import { callbackShapeOf, wantsNotice } from '../../domain/callback-shape.ts';
import { seconds } from '../../domain/clock.ts';
import {
  type Delivery,
  type DeliveryAttemptOutcome,
  deliveryStates,
  deliveryStatuses,
  queueKey,
} from '../../domain/delivery.ts';
import {
  type DeliveryId,
  deliveryIdFromRow,
  jobIdFromRow,
  newDeliveryId,
  userIdFromRow,
} from '../../domain/ids.ts';
import { isFinal, type JobState } from '../../domain/job.ts';
import { alertsUserName } from '../../domain/user-name.ts';
import type { Connection, Row, Statements, Value } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text, textOrNull } from '../db/rows.ts';

/** A claimed delivery without an outcome is due again after this time: its process crashed. */
export const sendLeaseMs = 60 * seconds;

/** Enqueues a callback, in the transaction of the change of status that it reports. */
export async function enqueueCallback(
  tx: Statements,
  jobId: string,
  state: JobState,
  now: number,
): Promise<void> {
  if (isFinal(state)) {
    // An IN_PROGRESS in flight is not retried either.
    await tx.write(
      `UPDATE deliveries SET state = 'superseded', ended_at = $2 WHERE job_id = $1 AND state = 'waiting'`,
      [jobId, now],
    );
  }
  const [job] = await tx.read('SELECT user_id, callback_url FROM jobs WHERE id = $1', [jobId]);
  if (!job) throw new Error(`expected job ${jobId} to exist when its callback is enqueued`);
  const [userId, url] = [text(job, 'user_id'), text(job, 'callback_url')];
  const status = isFinal(state) ? 'COMPLETED' : 'IN_PROGRESS';
  if (!wantsNotice(callbackShapeOf(url), status)) return;
  await tx.write(
    `INSERT INTO deliveries (id, job_id, user_id, status, url, line, state, due_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, 'waiting', $7, $7)`,
    [newDeliveryId(now), jobId, userId, status, url, queueKey(userId, url), now],
  );
}

/** Enqueues an alert for the operator's receiver; `body` is JSON. */
export async function enqueueAlert(tx: Statements, url: string, body: string, now: number): Promise<void> {
  const [user] = await tx.read('SELECT id FROM users WHERE name = $1', [alertsUserName]);
  if (!user) throw new Error(`expected the user ${alertsUserName} of the migrations`);
  const userId = text(user, 'id');
  await tx.write(
    `INSERT INTO deliveries (id, user_id, status, url, line, state, due_at, created_at, body)
     VALUES ($1, $2, 'BUDGET_ALERT', $3, $4, 'waiting', $5, $5, $6)`,
    [newDeliveryId(now), userId, url, queueKey(userId, url), now, body],
  );
}

/** Deletes up to `limit` alerts that ended before that moment (epoch ms); callbacks of jobs go with their jobs. */
export async function pruneAlerts(db: Statements, endedBefore: number, limit: number): Promise<number> {
  const rows = await db.write(
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM deliveries WHERE job_id IS NULL AND ended_at <= $1 LIMIT $2) RETURNING id`,
    [endedBefore, limit],
  );
  return rows.length;
}

/** One page of the scan over queues. */
export interface DueQueuesPage {
  /** Queue keys with a delivery that is due. */
  readonly due: readonly string[];
  /** Cursor of the next page; '' when this was the last. */
  readonly next: string;
}

/** The queues with deliveries that are due, a page at a time: one index step per queue, however long it is. */
export async function findDueQueues(
  db: Statements,
  page: { readonly after: string; readonly limit: number; readonly now: number },
): Promise<DueQueuesPage> {
  const next = (after: string) =>
    `(SELECT MIN(line) FROM deliveries WHERE state = 'waiting' AND line > ${after})`;
  const rows = await db.read(
    `WITH RECURSIVE lines (name, place) AS (
       SELECT ${next('$1')}, 1
       UNION ALL
       SELECT ${next('lines.name')}, place + 1 FROM lines WHERE name IS NOT NULL AND place < $2)
     SELECT name, place, (SELECT MIN(due_at) FROM deliveries WHERE line = lines.name AND state = 'waiting') AS first_due_at
     FROM lines WHERE name IS NOT NULL`,
    [page.after, page.limit],
  );
  return {
    due: rows.filter(row => integer(row, 'first_due_at') <= page.now).map(row => text(row, 'name')),
    next: rows.filter(row => row.place === page.limit).map(row => text(row, 'name'))[0] ?? '',
  };
}

/**
 * Leases due deliveries for `sendLeaseMs`, up to the limit of each queue key. Never one whose job has another in
 * flight, nor an IN_PROGRESS once there is a COMPLETED: notices of a job stay in order.
 */
export function claimDeliveries(
  db: Connection,
  limits: ReadonlyMap<string, number>,
  now: number,
): Promise<readonly Delivery[]> {
  return db.transaction(async tx => {
    const claimed: Delivery[] = [];
    for (const [queue, limit] of limits)
      claimed.push(...(await claimFromQueue(db, tx, { queue, limit, now })));
    return claimed;
  });
}

/** Also records each attempt, with the time of the claim until its result tells when it was sent. */
async function claimFromQueue(
  { skipLocked }: Connection,
  tx: Statements,
  { queue, limit, now }: { readonly queue: string; readonly limit: number; readonly now: number },
): Promise<readonly Delivery[]> {
  const rows = await tx.write(
    `WITH next AS MATERIALIZED (
       SELECT id FROM deliveries AS one WHERE line = $1 AND state = 'waiting' AND due_at <= $2
         AND NOT EXISTS (SELECT 1 FROM deliveries AS other WHERE other.job_id = one.job_id AND other.id <> one.id
           AND (other.sending_until > $2 OR (one.status = 'IN_PROGRESS' AND other.status = 'COMPLETED')))
       ORDER BY due_at, id LIMIT $3 ${skipLocked})
     UPDATE deliveries SET tries = tries + 1, sending_until = $4, due_at = $4
     WHERE id IN (SELECT id FROM next) AND state = 'waiting'
     RETURNING ${deliveryColumns}`,
    [queue, now, limit, now + sendLeaseMs],
  );
  const deliveries = rows.map(deliveryFromRow);
  for (const { id, attempts } of deliveries) {
    await tx.write('INSERT INTO delivery_tries (delivery_id, number, at) VALUES ($1, $2, $3)', [
      id,
      attempts,
      now,
    ]);
  }
  return deliveries;
}

/** The result of sending one delivery once. */
export interface DeliveryAttemptResult {
  readonly id: DeliveryId;
  /** Number of the attempt: a result that arrives after a later attempt started changes nothing. */
  readonly number: number;
  /** When it was sent; recorded in place of the time of the claim, which may be earlier. */
  readonly startedAt: number;
  readonly tookMs: number;
  readonly code: number | null;
  readonly answer: string;
  readonly outcome: DeliveryAttemptOutcome;
}

/** Records the outcome of an attempt and ends its lease. False when the result is late: another attempt replaced it. */
export function settleDelivery(db: Connection, ended: DeliveryAttemptResult, now: number): Promise<boolean> {
  const { id, number, outcome } = ended;
  return db.transaction(async tx => {
    const [row] = await tx.write(
      `UPDATE deliveries SET sending_until = NULL, ${assignmentsFor(outcome)}
       WHERE id = $1 AND tries = $2 AND sending_until IS NOT NULL RETURNING id`,
      [id, number, 'dueAt' in outcome ? outcome.dueAt : now],
    );
    if (!row) return false;
    await tx.write(
      `UPDATE delivery_tries SET at = $3, took_ms = $4, code = $5, answer = $6
       WHERE delivery_id = $1 AND number = $2`,
      [id, number, ended.startedAt, ended.tookMs, ended.code, ended.answer],
    );
    return true;
  });
}

/** A delivery superseded meanwhile stays so, unless this attempt delivered it. `$3` is its next due time or its end. */
function assignmentsFor(outcome: DeliveryAttemptOutcome): string {
  switch (outcome.kind) {
    case 'delivered':
      return `state = 'delivered', ended_at = $3`;
    case 'failed':
      return `failures = failures + 1, ended_at = COALESCE(ended_at, $3),
        state = CASE WHEN state = 'waiting' THEN 'failed' ELSE state END`;
    case 'again':
      return 'failures = failures + 1, due_at = $3';
    case 'given_back':
      return 'due_at = $3';
  }
}

/** How many are not delivered yet and will be attempted. */
export async function countPendingDeliveries(db: Statements): Promise<number> {
  const [row] = await db.read(`SELECT count(*) AS pending FROM deliveries WHERE state = 'waiting'`);
  return integer(row!, 'pending');
}

/** Ends all leases of deliveries, at the start of a process that runs alone: the sender is gone. */
export async function releaseDeliveries(db: Statements, now: number): Promise<void> {
  await db.write('UPDATE deliveries SET sending_until = NULL, due_at = $1 WHERE sending_until IS NOT NULL', [
    now,
  ]);
}

/** Null members do not filter. */
export interface DeliveryQuery {
  readonly jobId: string | null;
  readonly userName: string | null;
  readonly state: Delivery['state'] | null;
  /** Only deliveries older than this one; null: from the newest. */
  readonly after: DeliveryId | null;
  readonly limit: number;
}

/** A delivery as shown to an operator. */
export interface ListedDelivery extends Delivery {
  readonly userName: string;
}

/** Deliveries with the names of their users. */
const selectListed = `SELECT deliveries.*, users.name AS user_name FROM deliveries
  JOIN users ON users.id = deliveries.user_id`;

/** Newest first. */
export async function listDeliveries(
  db: Statements,
  query: DeliveryQuery,
): Promise<readonly ListedDelivery[]> {
  const values: Value[] = [query.limit];
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = ['1 = 1'];
  if (query.jobId !== null) conditions.push(`job_id = ${bind(query.jobId)}`);
  if (query.userName !== null)
    conditions.push(`user_id = (SELECT id FROM users WHERE name = ${bind(query.userName)})`);
  // The expression of the index `deliveries_by_state`.
  if (query.state !== null) conditions.push(`state || '' = ${bind(query.state)}`);
  if (query.after !== null) conditions.push(`deliveries.id < ${bind(query.after)}`);
  const rows = await db.read(
    `${selectListed} WHERE ${conditions.join(' AND ')} ORDER BY deliveries.id DESC LIMIT $1`,
    values,
  );
  return rows.map(listedFromRow);
}

/** Null when there is no such delivery. */
export async function readDelivery(db: Statements, id: DeliveryId): Promise<ListedDelivery | null> {
  const [row] = await db.read(`${selectListed} WHERE deliveries.id = $1`, [id]);
  return row ? listedFromRow(row) : null;
}

/** For rows of `selectListed`. */
const listedFromRow = (row: Row): ListedDelivery => ({
  ...deliveryFromRow(row),
  userName: text(row, 'user_name'),
});

/** Columns of a `Delivery`; `tries` is the former name of attempts. */
const deliveryColumns =
  'id, job_id, user_id, status, url, body, state, tries, failures, due_at, created_at, ended_at';

/** For rows with all `deliveryColumns`. */
export function deliveryFromRow(row: Row): Delivery {
  const jobId = textOrNull(row, 'job_id');
  return {
    id: deliveryIdFromRow(text(row, 'id')),
    jobId: jobId === null ? null : jobIdFromRow(jobId),
    userId: userIdFromRow(text(row, 'user_id')),
    status: oneOf(row, 'status', deliveryStatuses),
    url: text(row, 'url'),
    body: textOrNull(row, 'body'),
    state: oneOf(row, 'state', deliveryStates),
    attempts: integer(row, 'tries'),
    failures: integer(row, 'failures'),
    dueAt: integer(row, 'due_at'),
    createdAt: integer(row, 'created_at'),
    endedAt: integerOrNull(row, 'ended_at'),
  };
}
