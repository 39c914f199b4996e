import { readStatusBody } from '../../answers/job-bodies.ts';
import type { Principal } from '../../domain/key.ts';
import { listJobs as listInStore } from '../../store/jobs/read.ts';
import { refuseMissing } from '../read-job.ts';
import { readJobQuery } from '../read-job-query.ts';
import { type HttpContext, identify, pathValue, type Route } from '../route.ts';

/** Decisions 2, lookup: one's own jobs of a model, newest first; Contract 2: found by external_task_id. */
export const listJobs = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/:modelId/requests',
  errors: 'detail',
  async handle(request) {
    const principal = await identify(parts, request, 'jobs:read');
    const modelId = pathValue(request, 'modelId');
    if (!(await isKnown(parts, principal, modelId))) throw refuseMissing(parts, modelId);
    const asked = readJobQuery(request);
    const found = await listInStore(parts.db, {
      ...asked,
      userId: principal.userId,
      modelId,
      limit: asked.limit + 1,
    });
    const data = await Promise.all(found.slice(0, asked.limit).map(job => readStatusBody(parts, job, null)));
    return {
      object: 'list',
      data,
      has_more: found.length > asked.limit,
      first_id: data[0]?.request_id ?? null,
      last_id: data.at(-1)?.request_id ?? null,
    };
  },
});

/** Whoever made jobs by a model can list them, also once an operator took it away. */
async function isKnown(
  { catalog, db }: HttpContext,
  { userId }: Principal,
  modelId: string,
): Promise<boolean> {
  if (catalog.find(modelId)) return true;
  const any = { externalTaskId: null, status: null, after: null, limit: 1 };
  return (await listInStore(db, { ...any, userId, modelId })).length > 0;
}
