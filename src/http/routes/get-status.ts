/** The status of a job. */

import { jobStatusSchema } from '../../answers/job-status.ts';
import { inQuery, preferParameter } from '../parameters.ts';
import { answerStatus, jobAddressOfPath, waitForStatusChange } from '../read-job.ts';
import { queryValue } from '../request-values.ts';
import type { KeyRoute } from '../route.ts';

/** Contract 4.1: the status of a job, 200 in every state. */
export const getStatus: KeyRoute = {
  method: 'GET',
  path: '/:modelId/requests/:jobId/status',
  auth: 'key',
  scope: 'jobs:read',
  errors: 'detail',
  refusals: ['model_unknown', 'job_unknown'],
  answers: {
    200: { description: 'In every state.', body: jobStatusSchema },
  },
  docs: {
    tag: 'Jobs',
    operationId: 'getStatus',
    summary: 'The status of a job',
    parameters: [inQuery('logs', { enum: ['1', 'true'] }), preferParameter],
  },
  open: context => (principal, request, reply) => {
    const withLogs = ['1', 'true'].includes(queryValue(request, 'logs') ?? '');
    const address = jobAddressOfPath(context, request, principal);
    return waitForStatusChange(context, address, request, reply).then(job =>
      answerStatus(context, job, reply, withLogs),
    );
  },
};
