import { refuse } from '../../domain/refusal.ts';
import { type HttpContext, identify, type Route } from '../route.ts';

/** Contract 1.3: there is no synchronous generation. */
export const refuseSync = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/:modelId/sync',
  errors: 'detail',
  isUnlisted: true,
  async handle(request) {
    await identify(parts, request, 'any-key');
    throw refuse('path_unknown');
  },
});
