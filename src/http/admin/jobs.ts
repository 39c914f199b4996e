/** Jobs of all users in the admin API: search and detail. */

import type { FastifyRequest } from 'fastify';
import { jobDetailSchema, jobListSchema } from '../../answers/admin/job.ts';
import { promptOf } from '../../catalog/prompt-of.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { parseJobId } from '../../domain/ids.ts';
import { toJson } from '../../domain/json.ts';
import { refuse } from '../../domain/refusal.ts';
import { type FoundJob, isIndexing, jobOrders, readFoundJob, searchJobs } from '../../store/jobs/search.ts';
import type { HttpContext } from '../http-context.ts';
import { pathValue, queryValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { refuseField } from './admin-body.ts';
import { jobDetail, outputBodies } from './job-detail.ts';
import { filterNames, readJobFilter } from './job-filter.ts';
import { choiceOf, limitOf, refuseUnknownQuery } from './read-query.ts';

/** Jobs of a page, unless the query has a `limit`. */
const defaultLimit = 50;
/** Characters of the prompt that a list shows. */
const promptStart = 80;

/** Jobs of all users that fit the filter of `job-filter.ts`, newest first unless the query has a `sort`. */
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
    refuseUnknownQuery(request, [...filterNames, 'sort', 'limit', 'after']);
    const limit = limitOf(request, defaultLimit);
    const order = choiceOf(request, 'sort', jobOrders) ?? 'newest';
    const filter = await readJobFilter(context, request);
    const { jobs, next } = await searchJobs(context.db, filter, { after: readAfter(request), limit, order });
    return {
      object: 'list',
      data: jobs.map(job => jobSummaryBody(context, job)),
      has_more: next !== null,
      next_after: next,
      indexing: await isIndexing(context.db),
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
  project: job.projectName,
  tags: job.tags,
  key: { id: job.keyId, name: job.keyName, hint: job.keyHint },
  account: job.account,
  external_task_id: job.externalTaskId,
  progress: job.progress,
  error: job.error,
  charged: job.cost && { amount: job.cost.amount, currency: job.cost.currency },
  cancel_requested: job.cancelRequestedAt !== null,
  created_at: job.createdAt / 1000,
  started_at: job.startedAt === null ? null : job.startedAt / 1000,
  completed_at: job.completedAt === null ? null : job.completedAt / 1000,
  expires_at: toUnixSeconds(job.expiresAt),
  outputs: outputBodies(context, job),
});

/** The job after which the page begins; null for the first page. */
function readAfter(request: FastifyRequest) {
  const after = queryValue(request, 'after');
  if (after === undefined || after === '') return null;
  return parseJobId(after) ?? refuseField('after', 'must be a request_id');
}
