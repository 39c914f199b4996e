/** The operator's search over the jobs of all users, bounded in cost. */
import { type JobId, jobIdFromRow, type KeyId, keyIdFromRow } from '../../domain/ids.ts';
import type { Job, JobState } from '../../domain/job.ts';
import type { Row, Statements, Value } from '../db/connection.ts';
import { text, textOrNull } from '../db/rows.ts';
import { jobColumns, jobFromRow } from './read.ts';

/** Null members do not filter. */
export interface JobFilter {
  readonly states: readonly JobState[] | null;
  readonly modelId: string | null;
  readonly keyIds: readonly KeyId[] | null;
  /** Jobs found by an id before. */
  readonly ids: readonly JobId[] | null;
}

/** A job as shown to an operator. */
export interface FoundJob extends Job {
  readonly userName: string;
  readonly keyName: string | null;
  readonly keyHint: string;
  readonly account: string | null;
}

/** May be shorter than its limit although `next` is set: the scan is bounded. */
export interface JobPage {
  readonly jobs: readonly FoundJob[];
  /** Cursor of the next page: the last job scanned, matching or not; null at the end. */
  readonly next: JobId | null;
}

/**
 * Jobs scanned per page: whatever the filter, a page costs no more than reading so many of the newest jobs, and needs
 * no index that every insert would have to maintain.
 */
const scanLimit = 10_000;

/** The columns of a job, named with their table. */
const jobsByName = jobColumns
  .split(',')
  .map(column => `jobs.${column.trim()}`)
  .join(', ');
/** Jobs with the names of their users and keys. */
const selectFound = `SELECT ${jobsByName}, jobs.account, users.name AS user_name, keys.name AS key_name, keys.hint AS key_hint
  FROM jobs JOIN users ON users.id = jobs.user_id JOIN keys ON keys.id = jobs.key_id`;

/** Newest first. */
export async function searchJobs(
  db: Statements,
  filter: JobFilter,
  page: { readonly after: JobId | null; readonly limit: number },
): Promise<JobPage> {
  const ids = await findMatchingIds(db, filter, page);
  const shown = ids.slice(0, page.limit);
  const jobs = await readFound(db, shown);
  if (ids.length > page.limit) return { jobs, next: shown.at(-1) ?? null };
  return { jobs, next: await findScanEnd(db, filter, page.after) };
}

/** Ids of one more job than the page has, newest first. */
async function findMatchingIds(
  db: Statements,
  filter: JobFilter,
  { after, limit }: { readonly after: JobId | null; readonly limit: number },
): Promise<readonly JobId[]> {
  const values: Value[] = [limit + 1];
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = [...conditionsOf(filter, bind), ...(after === null ? [] : [`id < ${bind(after)}`])];
  const rows = await db.read(
    `SELECT id FROM (${sourceOf(filter, after, bind)}) AS looked
     WHERE ${['1 = 1', ...conditions].join(' AND ')} ORDER BY id DESC LIMIT $1`,
    values,
  );
  return rows.map(row => jobIdFromRow(text(row, 'id')));
}

/** Running jobs have their own index; all others are searched among the newest. */
function sourceOf({ states, ids }: JobFilter, after: JobId | null, bind: (value: Value) => string): string {
  const columns = 'SELECT id, state, model_id, key_id FROM jobs';
  if (ids !== null)
    return ids.length === 0
      ? `${columns} WHERE 1 = 0`
      : `${columns} WHERE id IN (${ids.map(bind).join(', ')})`;
  if (isRunningOnly(states)) return `${columns} WHERE state = 'running'`;
  const older = after === null ? '' : `WHERE id < ${bind(after)}`;
  return `${columns} ${older} ORDER BY id DESC LIMIT ${scanLimit}`;
}

/** A search for running jobs alone. */
const isRunningOnly = (states: readonly JobState[] | null): boolean => states?.join() === 'running';

function conditionsOf(
  { states, modelId, keyIds }: JobFilter,
  bind: (value: Value) => string,
): readonly string[] {
  return [
    ...(states === null ? [] : [`state IN (${states.map(bind).join(', ')})`]),
    ...(modelId === null ? [] : [`model_id = ${bind(modelId)}`]),
    ...(keyIds === null
      ? []
      : [keyIds.length === 0 ? '1 = 0' : `key_id IN (${keyIds.map(bind).join(', ')})`]),
  ];
}

/** The last job scanned for a page that was not filled, if there are older jobs. */
async function findScanEnd(db: Statements, filter: JobFilter, after: JobId | null): Promise<JobId | null> {
  if (filter.ids !== null || isRunningOnly(filter.states)) return null;
  const older = after === null ? '' : 'WHERE id < $1';
  const [row] = await db.read(
    `SELECT id FROM jobs ${older} ORDER BY id DESC LIMIT 1 OFFSET ${scanLimit - 1}`,
    after === null ? [] : [after],
  );
  return row ? jobIdFromRow(text(row, 'id')) : null;
}

/** In the order of ids, newest first. */
async function readFound(db: Statements, ids: readonly JobId[]): Promise<readonly FoundJob[]> {
  if (ids.length === 0) return [];
  const rows = await db.read(
    `${selectFound} WHERE jobs.id IN (${ids.map((_, index) => `$${index + 1}`).join(', ')}) ORDER BY jobs.id DESC`,
    ids,
  );
  return rows.map(foundFromRow);
}

/** Null when there is no such job. */
export async function readFoundJob(db: Statements, id: JobId): Promise<FoundJob | null> {
  const [found] = await readFound(db, [id]);
  return found ?? null;
}

/** Jobs with exactly this external_task_id: at most one per user. */
export async function findByTaskIdOfAnyUser(
  db: Statements,
  externalTaskId: string,
): Promise<readonly JobId[]> {
  const rows = await db.read(
    `SELECT jobs.id FROM users JOIN jobs ON jobs.user_id = users.id AND jobs.external_task_id = $1 LIMIT 100`,
    [externalTaskId],
  );
  return rows.map(row => jobIdFromRow(text(row, 'id')));
}

/** The newest jobs whose id starts with the prefix. */
export async function findByIdPrefix(db: Statements, prefix: string): Promise<readonly JobId[]> {
  const rows = await db.read('SELECT id FROM jobs WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT 100', [
    prefix,
    `${prefix}g`,
  ]);
  return rows.map(row => jobIdFromRow(text(row, 'id')));
}

/** The job that a file is an input or output of. */
export async function findByFile(db: Statements, fileId: string): Promise<readonly JobId[]> {
  const rows = await db.read('SELECT job_id FROM files WHERE id = $1 AND job_id IS NOT NULL', [fileId]);
  return rows.map(row => jobIdFromRow(text(row, 'job_id')));
}

/** Keys with this id, or whose hint, name or user name starts with the text. */
export async function searchKeys(db: Statements, begin: string): Promise<readonly KeyId[]> {
  const length = begin.length;
  const rows = await db.read(
    `SELECT keys.id FROM keys JOIN users ON users.id = keys.user_id
     WHERE keys.id = $1 OR substr(keys.hint, 1, $2) = $1 OR lower(substr(keys.name, 1, $2)) = lower($1)
       OR lower(substr(users.name, 1, $2)) = lower($1) LIMIT 200`,
    [begin, length],
  );
  return rows.map(row => keyIdFromRow(text(row, 'id')));
}

const foundFromRow = (row: Row): FoundJob => ({
  ...jobFromRow(row),
  userName: text(row, 'user_name'),
  keyName: textOrNull(row, 'key_name'),
  keyHint: text(row, 'key_hint'),
  account: textOrNull(row, 'account'),
});
