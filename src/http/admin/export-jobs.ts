/** A filtered list of jobs as CSV, sent while it is read. */

import { Readable } from 'node:stream';
import { promptOf } from '../../catalog/prompt-of.ts';
import { seconds } from '../../domain/clock.ts';
import { csvOf } from '../../domain/csv.ts';
import type { JobId } from '../../domain/ids.ts';
import {
  type FoundJob,
  type JobFilter,
  type JobOrder,
  jobOrders,
  searchJobs,
} from '../../store/jobs/search.ts';
import type { HttpContext } from '../http-context.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { filterNames, readJobFilter } from './job-filter.ts';
import { choiceOf, refuseUnknownQuery } from './read-query.ts';

/** More jobs are several exports, each of a time range. */
const maxLines = 100_000;
/** Jobs that are read at once. */
const pageSize = 250;
/** Characters of a prompt: cells of spreadsheets have a limit. */
const promptLength = 1_000;

/** The jobs that the list would show, in its order. */
export const exportJobs: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/jobs.csv',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'The jobs as CSV.', body: null },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request, reply) => {
    refuseUnknownQuery(request, [...filterNames, 'sort']);
    const order = choiceOf(request, 'sort', jobOrders) ?? 'newest';
    const filter = await readJobFilter(context, request);
    return reply
      .header('content-type', 'text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="atelier-jobs.csv"')
      .send(Readable.from(pagesOf(context, filter, order)));
  },
};

/** The header, then the lines of one page after the other; the reader of the stream sets the pace. */
async function* pagesOf({ db }: HttpContext, filter: JobFilter, order: JobOrder): AsyncGenerator<string> {
  yield csvOf([columns.map(([name]) => name)]);
  let after: JobId | null = null;
  let count = 0;
  do {
    const limit = Math.min(pageSize, maxLines - count);
    const { jobs, next } = await searchJobs(db, filter, { after, limit, order });
    count += jobs.length;
    after = next;
    yield csvOf(jobs.map(job => columns.map(([, cellOf]) => cellOf(job) ?? '')));
  } while (after !== null && count < maxLines);
}

const timeOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** The columns in their order; times are ISO 8601 in UTC. */
const columns: readonly (readonly [name: string, cellOf: (job: FoundJob) => string | number | null])[] = [
  ['request_id', job => job.id],
  ['state', job => job.state],
  ['model', job => job.modelId],
  ['prompt', job => [...promptOf(job.input)].slice(0, promptLength).join('')],
  ['project', job => job.projectName],
  ['user', job => job.userName],
  ['key', job => job.keyName ?? job.keyHint],
  ['account', job => job.account],
  ['error', job => job.error?.code ?? null],
  ['created_at', job => timeOf(job.createdAt)],
  ['started_at', job => timeOf(job.startedAt)],
  ['completed_at', job => timeOf(job.completedAt)],
  [
    'run_seconds',
    ({ startedAt, completedAt }) =>
      startedAt === null || completedAt === null ? null : (completedAt - startedAt) / seconds,
  ],
  ['charged', job => job.cost?.amount ?? null],
  ['currency', job => job.cost?.currency ?? null],
  [
    'tags',
    job =>
      Object.entries(job.tags ?? {})
        .map(pair => pair.join('='))
        .join(';'),
  ],
  ['external_task_id', job => job.externalTaskId],
];
