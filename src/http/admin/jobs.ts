/** Jobs of all users in the admin API: search and detail. */

import type { FastifyRequest } from 'fastify';
import { jobDetailSchema, jobListSchema } from '../../answers/admin/job.ts';
import { promptOf } from '../../catalog/prompt-of.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { parseFileId, parseJobId } from '../../domain/ids.ts';
import type { JobState } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import { refuse } from '../../domain/refusal.ts';
import {
  type FoundJob,
  findByFile,
  findByIdPrefix,
  findByTaskIdOfAnyUser,
  type JobFilter,
  readFoundJob,
  searchJobs,
  searchKeys,
} from '../../store/jobs/search.ts';
import type { HttpContext } from '../http-context.ts';
import { pathValue, queryValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { refuseField } from './admin-body.ts';
import { jobDetail, outputBodies } from './job-detail.ts';
import { choiceOf, limitOf, refuseUnknownQuery, searchTextOf } from './read-query.ts';

/** Jobs of a page, unless the query has a `limit`. */
const defaultLimit = 50;
/** Characters of the prompt that a list shows. */
const promptStart = 80;
/** What the filter of the list takes, in the order of a job's life. */
const states = ['available', 'running', 'completed', 'failed', 'cancelled'] as const;

/** Jobs of all users, newest first; `q` is any id, or the beginning of a key. */
export const listAllJobs: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/jobs',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'A page.', body: jobListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    refuseUnknownQuery(request, ['state', 'model', 'key', 'q', 'limit', 'after']);
    const limit = limitOf(request, defaultLimit);
    const filter = await readFilter(context, request);
    const { jobs, next } = await searchJobs(context.db, filter, { after: readAfter(request), limit });
    return {
      object: 'list',
      data: jobs.map(job => jobSummaryBody(context, job)),
      has_more: next !== null,
      next_after: next,
    };
  },
};

/** One job with everything that is recorded of it. */
export const getAnyJob: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/jobs/:jobId',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['job_unknown'],
  answers: {
    200: { description: 'The job.', body: jobDetailSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ role }, request, reply) => {
      const job = await findAnyJob(context, request);
      // As text: an integer beyond 2^53 in the input keeps its digits.
      const body = toJson({ ...jobSummaryBody(context, job), ...(await jobDetail(context, job, role)) });
      return reply.header('content-type', 'application/json; charset=utf-8').send(body);
    },
};

/** The job that the path names, of any user; throws the refusal of an unknown one. */
export async function findAnyJob({ db }: HttpContext, request: FastifyRequest): Promise<FoundJob> {
  const id = parseJobId(pathValue(request, 'jobId'));
  const job = id && (await readFoundJob(db, id));
  if (!job) throw refuse('job_unknown');
  return job;
}

/** A job in one line of a list. */
export const jobSummaryBody = (context: HttpContext, job: FoundJob) => ({
  request_id: job.id,
  object: 'job',
  model: job.modelId,
  state: job.state,
  prompt_start: [...promptOf(job.input)].slice(0, promptStart).join(''),
  user: job.userName,
  key: { id: job.keyId, name: job.keyName, hint: job.keyHint },
  account: job.account,
  external_task_id: job.externalTaskId,
  progress: job.progress,
  error: job.error,
  cancel_requested: job.cancelRequestedAt !== null,
  created_at: job.createdAt / 1000,
  started_at: job.startedAt === null ? null : job.startedAt / 1000,
  completed_at: job.completedAt === null ? null : job.completedAt / 1000,
  expires_at: toUnixSeconds(job.expiresAt),
  outputs: outputBodies(context, job),
});

/** The filter of the list from its query. */
export async function readFilter(context: HttpContext, request: FastifyRequest): Promise<JobFilter> {
  const state = choiceOf(request, 'state', [...states, 'unfinished', 'problem'] as const);
  const filter = {
    states: state === null ? null : statesOf(state),
    modelId: searchTextOf(request, 'model'),
    keyIds: await keysOf(context, searchTextOf(request, 'key')),
  };
  return { ...filter, ...(await search(context, searchTextOf(request, 'q'), filter.keyIds)) };
}

/** The states behind a word of the filter. */
export function statesOf(state: JobState | 'unfinished' | 'problem'): readonly JobState[] {
  if (state === 'unfinished') return ['available', 'running'];
  return state === 'problem' ? ['failed', 'cancelled'] : [state];
}

/** Ids of the keys that begin with that text; null for every key. */
const keysOf = async ({ db }: HttpContext, key: string | null) => (key === null ? null : searchKeys(db, key));

/** Searches by request_id or its beginning, file id, external task id, or the beginning of a key. */
async function search({ db }: HttpContext, q: string | null, keyIds: JobFilter['keyIds']) {
  if (q === null) return { ids: null, keyIds };
  const id = parseJobId(q.toLowerCase());
  if (id) return { ids: [id], keyIds };
  if (parseFileId(q)) return { ids: await findByFile(db, q), keyIds };
  const byTask = await findByTaskIdOfAnyUser(db, q);
  if (byTask.length > 0) return { ids: byTask, keyIds };
  if (/^[0-9a-f]{4,8}(?:-[0-9a-f-]{0,27})?$/i.test(q)) {
    const byPrefix = await findByIdPrefix(db, q.toLowerCase());
    if (byPrefix.length > 0) return { ids: byPrefix, keyIds };
  }
  const found = await searchKeys(db, q);
  return { ids: null, keyIds: keyIds === null ? found : found.filter(key => keyIds.includes(key)) };
}

/** The job after which the page begins; null for the first page. */
function readAfter(request: FastifyRequest) {
  const after = queryValue(request, 'after');
  if (after === undefined || after === '') return null;
  return parseJobId(after) ?? refuseField('after', 'must be a request_id');
}
