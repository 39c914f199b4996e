/** The status stream, which does not exist. */

import { refuse } from '../../domain/refusal.ts';
import type { KeyRoute } from '../route.ts';

/** Contract 1.4: job status is not streamed. */
export const refuseStream: KeyRoute = {
  method: 'GET',
  path: '/:modelId/requests/:jobId/status/stream',
  auth: 'key',
  scope: 'any-key',
  errors: 'detail',
  isUnlisted: true,
  refusals: ['stream_unsupported'],
  answers: {},
  docs: { undocumented: 'there is no stream; it answers that clearly' },
  open: () => async () => {
    throw refuse('stream_unsupported');
  },
};
