import { parseJobId } from '../../domain/ids.ts';
import type { JobStatus } from '../../domain/job.ts';
import { refuse } from '../../domain/refusal.ts';
import { listJobs as listInStore } from '../../store/jobs.ts';
import { type HttpParts, identify, queryOf, queryValue, type Route } from '../parts.ts';
import { answerStatus, modelOfPath } from '../read-job.ts';

const defaultLimit = 20;
const maxLimit = 100;

/** Decisions 2, lookup: one's own jobs of a model, newest first; Contract 2: found by external_task_id. */
export const listJobs = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/:modelId/requests',
  errors: 'detail',
  async handle(request, reply) {
    const principal = await identify(parts, request);
    const modelId = modelOfPath(request).id;
    const asked = readQuery(request);
    const found = await listInStore(parts.db, {
      ...asked,
      userId: principal.userId,
      modelId,
      limit: asked.limit + 1,
    });
    const data = await Promise.all(
      found.slice(0, asked.limit).map(job => answerStatus(parts, job, reply, false)),
    );
    reply.removeHeader('retry-after');
    return {
      object: 'list',
      data,
      has_more: found.length > asked.limit,
      first_id: data[0]?.request_id ?? null,
      last_id: data.at(-1)?.request_id ?? null,
    };
  },
});

function readQuery(request: Parameters<Route['handle']>[0]) {
  const query = queryOf(request);
  for (const name of Object.keys(query)) {
    if (queryValue(request, name) === undefined) refuseQuery(name, 'must be given once');
  }
  const limit = queryValue(request, 'limit') ?? String(defaultLimit);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxLimit) {
    refuseQuery('limit', `must be between 1 and ${maxLimit}`);
  }
  const status = queryValue(request, 'status') ?? null;
  if (status !== null && !isStatus(status)) refuseQuery('status', `must be one of ${statuses.join(', ')}`);
  const externalTaskId = queryValue(request, 'external_task_id') ?? null;
  // No job has such an id, and not every database can be asked for one.
  if (externalTaskId !== null && /\p{Cc}/u.test(externalTaskId)) {
    refuseQuery('external_task_id', 'must be without control characters');
  }
  const after = queryValue(request, 'after');
  const afterId =
    after === undefined ? null : (parseJobId(after) ?? refuseQuery('after', 'must be a request_id'));
  return {
    externalTaskId,
    status,
    after: afterId,
    limit: Number(limit),
  };
}

const statuses: readonly JobStatus[] = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'];
const isStatus = (text: string): text is JobStatus => statuses.some(status => status === text);

function refuseQuery(name: string, reason: string): never {
  throw refuse('input_invalid', { subject: `${name}: ${reason}`, fields: [name] });
}
