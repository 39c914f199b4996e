/** Where a job came from and what was made from it; index lookups alone. */
import { type JobId, jobIdFromRow } from '../../domain/ids.ts';
import type { Statements } from '../db/connection.ts';
import { text, textOrNull } from '../db/rows.ts';
import { type FoundJob, readFoundJobs } from './search.ts';

/** `copy`: the same input once more. `result`: a result of the one is part of the input of the other. */
export type Relation = 'copy' | 'result';

/** A job beside another, and how they are related. */
export interface Relative {
  readonly job: FoundJob;
  readonly relation: Relation;
}

/** The newest jobs that name this one as what they were made from. */
export async function listChildren(
  db: Statements,
  id: JobId,
  limit: number,
): Promise<{ readonly children: readonly Relative[]; readonly hasMore: boolean }> {
  const rows = await db.read(
    'SELECT id, inputs_of FROM jobs WHERE parent_id = $1 ORDER BY parent_id DESC, id DESC LIMIT $2',
    [id, limit + 1],
  );
  const relations = new Map<string, Relation>(
    rows.slice(0, limit).map(row => [text(row, 'id'), relationOf(textOrNull(row, 'inputs_of'))]),
  );
  return { children: await relativesOf(db, relations), hasMore: rows.length > limit };
}

/** The jobs whose results are in an input, in no particular order, and the job that it is a copy of. */
export async function listParents(
  db: Statements,
  id: JobId,
  named: { readonly jobIds: readonly JobId[]; readonly fileIds: readonly string[] },
): Promise<readonly Relative[]> {
  const [row] = await db.read('SELECT parent_id, inputs_of FROM jobs WHERE id = $1', [id]);
  const relations = new Map<string, Relation>();
  for (const jobId of [...named.jobIds, ...(await findMakers(db, named.fileIds))])
    relations.set(jobId, 'result');
  const parent = row ? textOrNull(row, 'parent_id') : null;
  if (row && parent !== null) relations.set(parent, relationOf(textOrNull(row, 'inputs_of')));
  relations.delete(id);
  return relativesOf(db, relations);
}

/** Only a copy uses the stored media of another job. */
const relationOf = (inputsOf: string | null): Relation => (inputsOf === null ? 'result' : 'copy');

/** The jobs whose outputs these files are, whether or not the files still exist. */
async function findMakers(db: Statements, fileIds: readonly string[]): Promise<readonly JobId[]> {
  if (fileIds.length === 0) return [];
  const rows = await db.read(
    `SELECT job_id FROM files WHERE id IN (${fileIds.map((_, index) => `$${index + 1}`).join(', ')})
       AND source = 'output'`,
    fileIds,
  );
  return rows.map(row => jobIdFromRow(text(row, 'job_id')));
}

/** Those that still exist, newest first. */
async function relativesOf(
  db: Statements,
  relations: ReadonlyMap<string, Relation>,
): Promise<readonly Relative[]> {
  // Ids begin with the time of the creation.
  const newestFirst = [...relations.keys()].toSorted().toReversed();
  const jobs = await readFoundJobs(db, newestFirst.map(jobIdFromRow));
  return jobs.map(job => ({ job, relation: relations.get(job.id) ?? 'result' }));
}
