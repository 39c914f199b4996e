import { answerStatus, jobAddressOfPath, waitForStatusChange } from '../read-job.ts';
import { type HttpContext, identify, queryValue, type Route } from '../route.ts';

/** Contract 4.1: the status of a job, 200 in every state. */
export const getStatus = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/:modelId/requests/:jobId/status',
  errors: 'detail',
  async handle(request, reply) {
    const principal = await identify(parts, request, 'jobs:read');
    const job = await waitForStatusChange(parts, jobAddressOfPath(parts, request, principal), request, reply);
    return answerStatus(parts, job, reply, ['1', 'true'].includes(queryValue(request, 'logs') ?? ''));
  },
});
