/** Cancel a job. */

import { cancellationSchema } from '../../answers/job-status.ts';
import type { otherCodes } from '../../domain/refusal-help.ts';
import { cancelJob as cancelInStore } from '../../store/jobs/cancel.ts';
import { jobAddressOfPath, refuseMissing } from '../read-job.ts';
import type { KeyRoute } from '../route.ts';

/** Contract 4.1; decisions 2 for the codes: a waiting job ends at once, a running one is requested to stop. */
export const cancelJob: KeyRoute = {
  method: 'PUT',
  path: '/:modelId/requests/:jobId/cancel',
  auth: 'key',
  scope: 'jobs:create',
  errors: 'detail',
  refusals: ['model_unknown', 'job_unknown'],
  answers: {
    200: { description: 'The job was queued and is cancelled.', body: cancellationSchema },
    202: { description: 'The job is running; the provider was requested to stop.', body: cancellationSchema },
    400: { description: 'The job was already COMPLETED.', body: cancellationSchema },
  },
  docs: {
    tag: 'Jobs',
    operationId: 'cancelJob',
    summary: 'Cancels a waiting job, requests a running one to stop',
  },
  open: context => async (principal, request, reply) => {
    const address = jobAddressOfPath(context, request, principal);
    const cancellation = await cancelInStore(context.db, address, context.clock.now(), principal.keyId);
    if (cancellation === 'unknown') throw refuseMissing(context, address.modelId);
    const { code, status } = answers[cancellation];
    reply.code(code);
    if (cancellation === 'already_final') reply.header('x-error-code', alreadyCompleted);
    return { status, request_id: address.jobId };
  },
};

/** `X-Error-Code` of a cancellation that came too late: its body names no code. */
const alreadyCompleted: keyof typeof otherCodes = 'already_completed';

/** Status codes and words by what the store did. */
const answers = {
  cancelled: { code: 200, status: 'OK' },
  requested: { code: 202, status: 'CANCELLATION_REQUESTED' },
  already_final: { code: 400, status: 'ALREADY_COMPLETED' },
} as const;
