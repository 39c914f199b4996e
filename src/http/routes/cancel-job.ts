import type { otherCodes } from '../../domain/refusal-help.ts';
import { cancelJob as cancelInStore } from '../../store/jobs/cancel.ts';
import { jobAddressOfPath, refuseMissing } from '../read-job.ts';
import { type HttpContext, identify, type Route } from '../route.ts';

/** Contract 4.1; decisions 2 for the codes: ended at once while it waits, asked to stop while it runs. */
export const cancelJob = (parts: HttpContext): Route => ({
  method: 'PUT',
  path: '/:modelId/requests/:jobId/cancel',
  errors: 'detail',
  async handle(request, reply) {
    const principal = await identify(parts, request, 'jobs:create');
    const asked = jobAddressOfPath(parts, request, principal);
    const cancellation = await cancelInStore(parts.db, asked, parts.clock.now(), principal.keyId);
    if (cancellation === 'unknown') throw refuseMissing(parts, asked.modelId);
    const { code, status } = answers[cancellation];
    reply.code(code);
    if (cancellation === 'already_final') reply.header('x-error-code', alreadyCompleted);
    return { status, request_id: asked.jobId };
  },
});

const alreadyCompleted: keyof typeof otherCodes = 'already_completed';

const answers = {
  cancelled: { code: 200, status: 'OK' },
  requested: { code: 202, status: 'CANCELLATION_REQUESTED' },
  already_final: { code: 400, status: 'ALREADY_COMPLETED' },
} as const;
