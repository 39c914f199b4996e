import { refuse } from '../../domain/refusal.ts';
import { type HttpContext, identify, type Route } from '../route.ts';

/** Contract 1.4: job status is not streamed. */
export const refuseStream = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/:modelId/requests/:jobId/status/stream',
  errors: 'detail',
  isUnlisted: true,
  async handle(request) {
    await identify(parts, request, 'any-key');
    throw refuse('stream_unsupported');
  },
});
