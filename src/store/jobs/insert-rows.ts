/** The rows of new jobs: their columns, their rank among the waiting, and the statements that insert one or many. */
import type { JobId, KeyId, UserId } from '../../domain/ids.ts';
import type { Priority } from '../../domain/job.ts';
import type { Connection, Row, Statements, Value } from '../db/connection.ts';
import { integer, text } from '../db/rows.ts';
import { countAheadSql, maxExactPosition } from './count-ahead.ts';
import type { Idempotency } from './idempotency.ts';

/** What admission decided about a job. */
export interface NewJob {
  readonly id: JobId;
  readonly userId: UserId;
  readonly keyId: KeyId;
  readonly modelId: string;
  readonly priority: Priority;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Deadline, epoch ms. */
  readonly expiresAt: number;
  /** The validated input as JSON text. */
  readonly input: string;
  /** The job that this one was made from. */
  readonly parentId: string | null;
  readonly externalTaskId: string | null;
  readonly callbackUrl: string | null;
  readonly idempotency: Idempotency | null;
  /** The accounts that may run it; absent or null: every account of its model. */
  readonly accounts?: readonly string[] | null;
  /** The job whose creation stored the input media; absent or null: this one. */
  readonly inputsOf?: JobId | null;
  /** Names and values that the client gave it, as JSON text; absent or null: none. */
  readonly tags?: string | null;
}

/** A job that was inserted; `rank` is its place in the queue of its model. */
export interface Inserted {
  readonly kind: 'inserted';
  readonly rank: number;
  /** Jobs of the same model that start before it: exact up to the bound of `countAheadSql`, else beyond it. */
  readonly ahead: number;
}

/** The columns that an insert fills, and their types in a JSON record set. */
const columns = {
  id: 'TEXT',
  user_id: 'TEXT',
  key_id: 'TEXT',
  model_id: 'TEXT',
  band: 'INTEGER',
  due_at: 'BIGINT',
  created_at: 'BIGINT',
  expires_at: 'BIGINT',
  input: 'TEXT',
  parent_id: 'TEXT',
  external_task_id: 'TEXT',
  callback_url: 'TEXT',
  idempotency_key: 'TEXT',
  idempotency_hash: 'TEXT',
  accounts: 'TEXT',
  inputs_of: 'TEXT',
  tags: 'TEXT',
} as const;
type Column = keyof typeof columns;
const columnNames = Object.keys(columns) as Column[];

/** A new job as its row. */
const rowOf = (job: NewJob): Readonly<Record<Column, Value>> => ({
  id: job.id,
  user_id: job.userId,
  key_id: job.keyId,
  model_id: job.modelId,
  band: job.priority,
  due_at: job.createdAt,
  created_at: job.createdAt,
  expires_at: job.expiresAt,
  input: job.input,
  parent_id: job.parentId,
  external_task_id: job.externalTaskId,
  callback_url: job.callbackUrl,
  idempotency_key: job.idempotency?.key ?? null,
  idempotency_hash: job.idempotency?.hash ?? null,
  accounts: job.accounts ? `,${job.accounts.join(',')},` : null,
  inputs_of: job.inputsOf ?? null,
  tags: job.tags ?? null,
});

// The user as a range and the ORDER BY keep the planner on the index by user: with the claim index it would read the
// jobs of all users to find the last of one.
const rankOf = (value: (column: Column) => string) =>
  `COALESCE((SELECT MAX(place) FROM (
     SELECT rank + 1 AS place FROM (SELECT rank FROM jobs
       WHERE model_id = ${value('model_id')} AND band = ${value('band')}
         AND user_id BETWEEN ${value('user_id')} AND ${value('user_id')} AND state = 'available'
       ORDER BY user_id DESC, rank DESC LIMIT 1) AS own
     UNION ALL
     SELECT MIN(rank) FROM jobs
     WHERE model_id = ${value('model_id')} AND band = ${value('band')} AND state = 'available') AS places), 0)`;

/** The position is counted where the rank is known, so that the answer to a creation needs no other statement. */
const returning = (ahead: string) => `ON CONFLICT DO NOTHING RETURNING id, rank, ${ahead} AS ahead`;
const parameter = (column: Column) => `$${columnNames.indexOf(column) + 1}`;
const insertOne = `INSERT INTO jobs (${columnNames}, state, rank) VALUES (${columnNames.map(parameter)}, 'available', ${rankOf(parameter)})
  ${returning(
    countAheadSql({
      modelId: parameter('model_id'),
      priority: parameter('band'),
      // SQLite bounds the range of the index by a column only where it is an expression.
      rank: '+jobs.rank',
      id: parameter('id'),
    }),
  )}`;

// Jobs of one statement do not see each other: `behind` is how many of them precede one in its user's queue. What all of
// a queue share is read once: the rank of its next job, and of each model the last place that is counted exactly.
const insertMany = `WITH fresh AS MATERIALIZED (SELECT * FROM json_to_recordset(CAST($1 AS JSON))
    AS fresh(behind INTEGER, ${columnNames.map(column => `${column} ${columns[column]}`)})),
  queues AS MATERIALIZED (SELECT model_id, band, user_id, ${rankOf(column => `queue.${column}`)} AS next_rank
    FROM (SELECT DISTINCT model_id, band, user_id FROM fresh) AS queue),
  counted AS MATERIALIZED (SELECT last.* FROM (SELECT DISTINCT model_id FROM fresh) AS queue CROSS JOIN LATERAL
    (SELECT model_id, band, rank, id FROM jobs WHERE jobs.model_id = queue.model_id AND state = 'available'
     ORDER BY band, rank, id OFFSET ${maxExactPosition} LIMIT 1) AS last)
  INSERT INTO jobs (${columnNames}, state, rank)
  SELECT ${columnNames.map(column => `fresh.${column}`)}, 'available', next_rank + behind
  FROM fresh JOIN queues USING (model_id, band, user_id)
  ${returning(`CASE WHEN EXISTS (SELECT 1 FROM counted WHERE counted.model_id = jobs.model_id
      AND (counted.band, counted.rank, counted.id) < (jobs.band, jobs.rank, jobs.id)) THEN ${maxExactPosition + 1}
    ELSE ${countAheadSql({ modelId: 'jobs.model_id', priority: 'jobs.band', rank: 'jobs.rank', id: 'jobs.id' })} END`)}`;

const insertedFromRow = (row: Row | undefined): Inserted | null =>
  row ? { kind: 'inserted', rank: integer(row, 'rank'), ahead: integer(row, 'ahead') } : null;

/** Null: another row conflicts. */
export async function tryInsert(db: Statements, job: NewJob): Promise<Inserted | null> {
  const [row] = await db.write(insertOne, Object.values(rowOf(job)));
  return insertedFromRow(row);
}

/** In the order of the jobs; null where another row conflicts. */
export async function insertRows(
  db: Statements,
  dialect: Connection['dialect'],
  jobs: readonly NewJob[],
): Promise<readonly (Inserted | null)[]> {
  if (dialect === 'sqlite') {
    const inserted: (Inserted | null)[] = [];
    for (const job of jobs) inserted.push(await tryInsert(db, job));
    return inserted;
  }
  const rows = await db.write(insertMany, [JSON.stringify(withRankOffsets(jobs))]);
  const rowById = new Map(rows.map(row => [text(row, 'id'), row]));
  const placed = jobs.flatMap(job => {
    const row = rowById.get(job.id);
    return row ? [{ job, row, rank: integer(row, 'rank') }] : [];
  });
  placed.sort((a, b) => a.job.priority - b.job.priority || a.rank - b.rank || (a.job.id < b.job.id ? -1 : 1));
  // Jobs of one statement do not see each other: those of the same model that precede a job are added.
  const precedingOf = new Map<string, number>();
  const insertions = new Map<JobId, Inserted>();
  for (const { job, row, rank } of placed) {
    const preceding = precedingOf.get(job.modelId) ?? 0;
    precedingOf.set(job.modelId, preceding + 1);
    insertions.set(job.id, { kind: 'inserted', rank, ahead: integer(row, 'ahead') + preceding });
  }
  return jobs.map(({ id }) => insertions.get(id) ?? null);
}

/** Adds `behind` to each row: see `insertMany`. */
function withRankOffsets(jobs: readonly NewJob[]) {
  const lengths = new Map<string, number>();
  return jobs.map(job => {
    const queue = `${job.modelId} ${job.priority} ${job.userId}`;
    const behind = lengths.get(queue) ?? 0;
    lengths.set(queue, behind + 1);
    return { behind, ...rowOf(job) };
  });
}
