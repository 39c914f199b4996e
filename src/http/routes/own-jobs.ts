/** Jobs of every model. */

import { readStatusBody } from '../../answers/job-bodies.ts';
import { ownJobPageSchema, ownJobSchema } from '../../answers/job-status.ts';
import { parseTime } from '../../domain/clock.ts';
import { parseJobId } from '../../domain/ids.ts';
import { toJson } from '../../domain/json.ts';
import { refuse } from '../../domain/refusal.ts';
import { listJobsOfUser, readJobOfUser } from '../../store/jobs/list-own.ts';
import { forStatus, type JobForStatus } from '../../store/jobs/read.ts';
import type { HttpContext } from '../http-context.ts';
import { pageBody } from '../page-body.ts';
import { inQuery, jobFilterParameters } from '../parameters.ts';
import { readJobQuery, refuseQuery } from '../read-job-query.ts';
import { pathValue, queryValue } from '../request-values.ts';
import type { KeyRoute } from '../route.ts';

/** Jobs of the user, of every model, newest first. */
export const listOwnJobs: KeyRoute = {
  method: 'GET',
  path: '/v1/jobs',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'A page.', body: ownJobPageSchema },
  },
  docs: {
    tag: 'Jobs',
    operationId: 'listOwnJobs',
    summary: 'Your jobs of every model, newest first',
    parameters: [
      inQuery('model', { type: 'string' }),
      inQuery('since', { type: 'string' }),
      ...jobFilterParameters,
    ],
  },
  open:
    context =>
    async ({ userId }, request) => {
      const query = readJobQuery(request);
      const since = queryValue(request, 'since');
      const found = await listJobsOfUser(context.db, {
        ...query,
        userId,
        modelId: readModel(queryValue(request, 'model')),
        since: since === undefined ? null : readSince(since),
        limit: query.limit + 1,
      });
      const data = await Promise.all(found.slice(0, query.limit).map(job => ownJobBody(context, job)));
      return pageBody({ data, hasMore: found.length > query.limit, idOf: job => job.request_id });
    },
};

/** One of them by its id alone, with the stored input. */
export const getOwnJob: KeyRoute = {
  method: 'GET',
  path: '/v1/jobs/:jobId',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'detail',
  refusals: ['job_unknown'],
  answers: {
    200: { description: 'The job.', body: ownJobSchema },
  },
  docs: {
    tag: 'Jobs',
    operationId: 'getOwnJob',
    summary: 'A job by its id alone, with the stored input',
  },
  open:
    context =>
    async ({ userId }, request, reply) => {
      const id = parseJobId(pathValue(request, 'jobId'));
      const job = id && (await readJobOfUser(context.db, id, userId));
      if (!job) throw refuse('job_unknown');
      reply.header('content-type', 'application/json; charset=utf-8');
      // As text: an integer beyond 2^53 in the input keeps its digits.
      return toJson({ ...(await ownJobBody(context, forStatus(job))), input: job.input });
    },
};

/** The status body, with the model and external task id also of a finished job. */
const ownJobBody = async (context: HttpContext, job: JobForStatus) => ({
  ...(await readStatusBody(context, job, null)),
  model: job.modelId,
  ...(job.externalTaskId !== null && { external_task_id: job.externalTaskId }),
  ...(job.tags && { tags: job.tags }),
  ...(job.cost && { cost: job.cost }),
});

/** The model to filter by; null for all. */
function readModel(id: string | undefined): string | null {
  // No model has such an id, and not every database accepts it in a query.
  if (id !== undefined && /\p{Cc}/u.test(id)) refuseQuery('model', 'must be without control characters');
  return id ?? null;
}

/** Epoch ms of the earliest creation. */
const readSince = (text: string): number =>
  parseTime(text) ?? refuseQuery('since', 'must be a time: ISO 8601 or Unix seconds');
