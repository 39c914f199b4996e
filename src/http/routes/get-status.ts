import { type HttpParts, identify, queryValue, type Route } from '../parts.ts';
import { addressOfPath, answerStatus, findJobHeld } from '../read-job.ts';

/** Contract 4.1: the status of a job, 200 in every state. */
export const getStatus = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/:modelId/requests/:jobId/status',
  errors: 'detail',
  async handle(request, reply) {
    const principal = await identify(parts, request, 'jobs:read');
    const job = await findJobHeld(parts, addressOfPath(parts, request, principal), request, reply);
    return answerStatus(parts, job, reply, ['1', 'true'].includes(queryValue(request, 'logs') ?? ''));
  },
});
