import { jobUrls } from '../../catalog/response-bodies.ts';
import type { HttpContext, Route } from '../route.ts';
import { identify, pathValue, queryOf } from '../route.ts';

/** Contract 4.1: a creation is answered with the five keys of the handle (2.1), once the job is flushed. */
export const createJob = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/:modelId',
  errors: 'detail',
  async handle(request, reply) {
    const principal = await identify(parts, request, 'jobs:create');
    const { jobId, modelId, position, replayed } = await parts.admission.admit({
      principal,
      modelId: pathValue(request, 'modelId'),
      query: queryOf(request),
      message: request.raw,
    });
    if (replayed) reply.header('idempotent-replayed', 'true');
    return {
      request_id: jobId,
      ...jobUrls(parts.publicUrl(), { id: jobId, modelId }),
      queue_position: position,
    };
  },
});
