import { cancellationSchema } from '../../answers/job-status.ts';
import type { otherCodes } from '../../domain/refusal-help.ts';
import { cancelJob as cancelInStore } from '../../store/jobs/cancel.ts';
import { jobAddressOfPath, refuseMissing } from '../read-job.ts';
import type { KeyRoute } from '../route.ts';

/** Contract 4.1; decisions 2 for the codes: ended at once while it waits, asked to stop while it runs. */
export const cancelJob: KeyRoute = {
  method: 'PUT',
  path: '/:modelId/requests/:jobId/cancel',
  auth: 'key',
  scope: 'jobs:create',
  errors: 'detail',
  refusals: ['model_unknown', 'job_unknown'],
  answers: {
    200: { description: 'The job was queued and is cancelled.', body: cancellationSchema },
    202: { description: 'The job is running; the provider was asked to stop.', body: cancellationSchema },
    400: { description: 'The job was already COMPLETED.', body: cancellationSchema },
  },
  docs: {
    tag: 'Jobs',
    operationId: 'cancelJob',
    summary: 'Ends a waiting job, asks a running one to stop',
  },
  open: context => async (principal, request, reply) => {
    const asked = jobAddressOfPath(context, request, principal);
    const cancellation = await cancelInStore(context.db, asked, context.clock.now(), principal.keyId);
    if (cancellation === 'unknown') throw refuseMissing(context, asked.modelId);
    const { code, status } = answers[cancellation];
    reply.code(code);
    if (cancellation === 'already_final') reply.header('x-error-code', alreadyCompleted);
    return { status, request_id: asked.jobId };
  },
};

const alreadyCompleted: keyof typeof otherCodes = 'already_completed';

const answers = {
  cancelled: { code: 200, status: 'OK' },
  requested: { code: 202, status: 'CANCELLATION_REQUESTED' },
  already_final: { code: 400, status: 'ALREADY_COMPLETED' },
} as const;
