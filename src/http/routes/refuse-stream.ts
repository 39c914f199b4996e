import { refuse } from '../../domain/refusal.ts';
import { type HttpParts, identify, type Route } from '../parts.ts';

/** Contract 1.4: job status is not streamed. */
export const refuseStream = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/:modelId/requests/:jobId/status/stream',
  errors: 'detail',
  isUnlisted: true,
  async handle(request) {
    await identify(parts, request, 'any-key');
    throw refuse('stream_unsupported');
  },
});
