/** The operator's search over the jobs of all users, bounded in cost. */
import { setImmediate } from 'node:timers/promises';
import { type JobId, jobIdFromRow, type KeyId, keyIdFromRow } from '../../domain/ids.ts';
import type { Job } from '../../domain/job.ts';
import type { Connection, Row, Statements, Value } from '../db/connection.ts';
import { text, textOrNull } from '../db/rows.ts';
import { jobColumns, jobFromRow } from './read.ts';
import { conditionsOnJobs, type JobFilter, type JobOrder } from './search-conditions.ts';
import { readSearchProgress } from './search-index.ts';
import { openWalk } from './search-walk.ts';

export { everyJob, type JobFilter, type JobOrder, jobOrders } from './search-conditions.ts';

/** A job as shown to an operator. */
export interface FoundJob extends Job {
  readonly userName: string;
  readonly projectName: string;
  readonly keyName: string | null;
  readonly keyHint: string;
  readonly account: string | null;
}

/** May be shorter than its limit although `next` is set: the search is bounded. */
export interface JobPage {
  readonly jobs: readonly FoundJob[];
  /** Cursor of the next page: the last job shown or searched; null at the end. */
  readonly next: JobId | null;
}

/** After so long a page is returned as it is, with a cursor to search on from. A part is bounded by `search-walk.ts`. */
const maxMs = 200;

/** The columns of a job, named with their table. */
const jobsByName = jobColumns
  .split(',')
  .map(column => `jobs.${column.trim()}`)
  .join(', ');
/** Jobs with the names of their users, projects and keys. */
const selectFound = `SELECT ${jobsByName}, jobs.account, users.name AS user_name, keys.name AS key_name, keys.hint AS key_hint,
  COALESCE(projects.name, 'default') AS project_name FROM jobs JOIN users ON users.id = jobs.user_id
  JOIN keys ON keys.id = jobs.key_id LEFT JOIN projects ON projects.id = keys.project_id`;

/**
 * A page of the jobs that fit, in that order. The jobs are searched part by part, and the event loop is free between
 * two parts, so that on SQLite no search delays requests for longer than one part takes.
 */
export async function searchJobs(
  db: Connection,
  filter: JobFilter,
  page: { readonly after: JobId | null; readonly limit: number; readonly order?: JobOrder },
): Promise<JobPage> {
  const { after, limit, order = 'newest' } = page;
  const walk = await openWalk(db, filter, order);
  const jobs: FoundJob[] = [];
  let cursor = after;
  const startedAt = performance.now();
  do {
    const { ids, next } = await walk(cursor, limit + 1 - jobs.length);
    jobs.push(...(await readFoundJobs(db, ids, filter)));
    if (jobs.length > limit) return { jobs: jobs.slice(0, limit), next: jobs[limit - 1]!.id };
    if (next === null) return { jobs, next };
    cursor = next;
    await setImmediate();
  } while (performance.now() - startedAt < maxMs);
  return { jobs, next: cursor };
}

/** Whether jobs of before the index are still being added to it: a search by words misses them until then. */
export async function isIndexing(db: Statements): Promise<boolean> {
  const progress = await readSearchProgress(db);
  return progress !== null && progress.oldest !== null;
}

/** In the order of the ids, those that fit. */
export async function readFoundJobs(
  db: Statements,
  ids: readonly JobId[],
  filter?: JobFilter,
): Promise<readonly FoundJob[]> {
  if (ids.length === 0) return [];
  const values: Value[] = [...ids];
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = filter ? conditionsOnJobs(filter, bind) : [];
  const rows = await db.read(
    `${selectFound} WHERE ${[`jobs.id IN (${ids.map((_, index) => `$${index + 1}`).join(', ')})`, ...conditions].join(' AND ')}`,
    values,
  );
  const found = new Map(rows.map(row => [text(row, 'id'), row]));
  return ids.flatMap(id => {
    const row = found.get(id);
    return row ? [foundFromRow(row)] : [];
  });
}

/** Null when there is no such job. */
export async function readFoundJob(db: Statements, id: JobId): Promise<FoundJob | null> {
  const [found] = await readFoundJobs(db, [id]);
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
  projectName: text(row, 'project_name'),
  keyName: textOrNull(row, 'key_name'),
  keyHint: text(row, 'key_hint'),
  account: textOrNull(row, 'account'),
});
