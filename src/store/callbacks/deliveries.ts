import { seconds } from '../../domain/clock.ts';
import {
  type Delivery,
  type DeliveryAttemptOutcome,
  deliveryStates,
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
import type { Connection, Row, Statements, Value } from '../db/connection.ts';
import { integer, integerOrNull, oneOf, text } from '../db/rows.ts';

/** A claimed delivery that nobody gave an outcome is free again after this long: its process died. */
export const sendLeaseMs = 60 * seconds;

/** Writes down a callback to be made, with the change of status that it tells of. */
export async function enqueueCallback(
  tx: Statements,
  jobId: string,
  state: JobState,
  now: number,
): Promise<void> {
  if (isFinal(state)) {
    // An IN_PROGRESS that is in flight is not tried again either.
    await tx.write(
      `UPDATE deliveries SET state = 'superseded', ended_at = $2 WHERE job_id = $1 AND state = 'waiting'`,
      [jobId, now],
    );
  }
  const [job] = await tx.read('SELECT user_id, callback_url FROM jobs WHERE id = $1', [jobId]);
  if (!job) throw new Error(`expected job ${jobId} to be there when its callback is told`);
  const [userId, url] = [text(job, 'user_id'), text(job, 'callback_url')];
  const status = isFinal(state) ? 'COMPLETED' : 'IN_PROGRESS';
  await tx.write(
    `INSERT INTO deliveries (id, job_id, user_id, status, url, line, state, due_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, 'waiting', $7, $7)`,
    [newDeliveryId(now), jobId, userId, status, url, queueKey(userId, url), now],
  );
}

export interface DueQueuesPage {
  /** Lines that have a delivery to make now. */
  readonly due: readonly string[];
  /** From where to look on; '' when this was the last page. */
  readonly next: string;
}

/** The lines that have something to do, a page at a time: one step of the index a line, however long it is. */
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
 * Takes due deliveries, up to so many of each line, each in flight until `sendingMs` from now. Never one
 * whose job has another in flight, nor an IN_PROGRESS once there is a COMPLETED: events stay in order.
 */
export function claimDeliveries(
  db: Connection,
  limits: ReadonlyMap<string, number>,
  now: number,
): Promise<readonly Delivery[]> {
  return db.transaction(async tx => {
    const claimed: Delivery[] = [];
    for (const [line, limit] of limits) claimed.push(...(await claimFromQueue(db, tx, { line, limit, now })));
    return claimed;
  });
}

async function claimFromQueue(
  { skipLocked }: Connection,
  tx: Statements,
  { line, limit, now }: { readonly line: string; readonly limit: number; readonly now: number },
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
    [line, now, limit, now + sendLeaseMs],
  );
  const deliveries = rows.map(deliveryFromRow);
  for (const { id, tries } of deliveries) {
    await tx.write('INSERT INTO delivery_tries (delivery_id, number, at) VALUES ($1, $2, $3)', [
      id,
      tries,
      now,
    ]);
  }
  return deliveries;
}

export interface DeliveryAttemptResult {
  readonly id: DeliveryId;
  /** Which try: a later one makes this one late, and a late one changes nothing. */
  readonly number: number;
  readonly tookMs: number;
  readonly code: number | null;
  readonly answer: string;
  readonly outcome: DeliveryAttemptOutcome;
}

/** The one way out of flight. False when the try was late: another one took its place. */
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
      `UPDATE delivery_tries SET took_ms = $3, code = $4, answer = $5 WHERE delivery_id = $1 AND number = $2`,
      [id, number, ended.tookMs, ended.code, ended.answer],
    );
    return true;
  });
}

/** A delivery that was superseded meanwhile stays so, unless it has just been delivered. `$3` is due, or the end. */
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

/** Frees what is in flight, for a process that knows it is alone: whoever sent it is dead. */
export async function releaseDeliveries(db: Statements, now: number): Promise<void> {
  await db.write('UPDATE deliveries SET sending_until = NULL, due_at = $1 WHERE sending_until IS NOT NULL', [
    now,
  ]);
}

export interface DeliveryQuery {
  readonly jobId: string | null;
  readonly userName: string | null;
  readonly state: Delivery['state'] | null;
  /** Only deliveries older than this one. */
  readonly after: DeliveryId | null;
  readonly limit: number;
}

/** A delivery as the operator sees it. */
export interface ListedDelivery extends Delivery {
  readonly userName: string;
}

const selectListed = `SELECT deliveries.*, users.name AS user_name FROM deliveries
  JOIN users ON users.id = deliveries.user_id`;

/** The newest first. */
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
  // As `deliveries_by_state` has it.
  if (query.state !== null) conditions.push(`state || '' = ${bind(query.state)}`);
  if (query.after !== null) conditions.push(`deliveries.id < ${bind(query.after)}`);
  const rows = await db.read(
    `${selectListed} WHERE ${conditions.join(' AND ')} ORDER BY deliveries.id DESC LIMIT $1`,
    values,
  );
  return rows.map(listedFromRow);
}

export async function readDelivery(db: Statements, id: DeliveryId): Promise<ListedDelivery | null> {
  const [row] = await db.read(`${selectListed} WHERE deliveries.id = $1`, [id]);
  return row ? listedFromRow(row) : null;
}

const listedFromRow = (row: Row): ListedDelivery => ({
  ...deliveryFromRow(row),
  userName: text(row, 'user_name'),
});

const deliveryColumns =
  'id, job_id, user_id, status, url, state, tries, failures, due_at, created_at, ended_at';

function deliveryFromRow(row: Row): Delivery {
  return {
    id: deliveryIdFromRow(text(row, 'id')),
    jobId: jobIdFromRow(text(row, 'job_id')),
    userId: userIdFromRow(text(row, 'user_id')),
    status: oneOf(row, 'status', ['IN_PROGRESS', 'COMPLETED']),
    url: text(row, 'url'),
    state: oneOf(row, 'state', deliveryStates),
    tries: integer(row, 'tries'),
    failures: integer(row, 'failures'),
    dueAt: integer(row, 'due_at'),
    createdAt: integer(row, 'created_at'),
    endedAt: integerOrNull(row, 'ended_at'),
  };
}
