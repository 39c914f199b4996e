/** Jobs of one model. */

import { readStatusBody } from '../../answers/job-bodies.ts';
import { jobStatusPageSchema } from '../../answers/job-status.ts';
import type { Principal } from '../../domain/key.ts';
import { listJobs as listInStore } from '../../store/jobs/read.ts';
import type { HttpContext } from '../http-context.ts';
import { pageBody } from '../page-body.ts';
import { jobFilterParameters } from '../parameters.ts';
import { refuseMissing } from '../read-job.ts';
import { readJobQuery } from '../read-job-query.ts';
import { pathValue } from '../request-values.ts';
import type { KeyRoute } from '../route.ts';

/** Decisions 2, lookup: jobs of the user and a model, newest first; Contract 2: found by external_task_id. */
export const listJobs: KeyRoute = {
  method: 'GET',
  path: '/:modelId/requests',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'detail',
  refusals: ['model_unknown', 'job_unknown', 'input_invalid'],
  answers: {
    200: { description: 'A page.', body: jobStatusPageSchema },
  },
  docs: {
    tag: 'Jobs',
    operationId: 'listJobs',
    summary: 'Your jobs of a model, newest first',
    parameters: jobFilterParameters,
  },
  open: context => async (principal, request) => {
    const modelId = pathValue(request, 'modelId');
    if (!(await isKnown(context, principal, modelId))) throw refuseMissing(context, modelId);
    // A malformed filter is refused: an ignored one would list jobs that were not searched for.
    const query = readJobQuery(request);
    const found = await listInStore(context.db, {
      ...query,
      userId: principal.userId,
      modelId,
      // One more than the page says whether there is another page.
      limit: query.limit + 1,
    });
    const data = await Promise.all(
      found.slice(0, query.limit).map(job => readStatusBody(context, job, null)),
    );
    return pageBody({ data, hasMore: found.length > query.limit, idOf: job => job.request_id });
  },
};

/** A user can list jobs of a model also after an operator removed it. */
async function isKnown(
  { catalog, db }: HttpContext,
  { userId }: Principal,
  modelId: string,
): Promise<boolean> {
  if (catalog.find(modelId)) return true;
  const any = { externalTaskId: null, status: null, after: null, limit: 1 };
  return (await listInStore(db, { ...any, userId, modelId })).length > 0;
}
