/** Synchronous generation, which does not exist. */

import { refuse } from '../../domain/refusal.ts';
import type { KeyRoute } from '../route.ts';

/** Contract 1.3: there is no synchronous generation. */
export const refuseSync: KeyRoute = {
  method: 'POST',
  path: '/:modelId/sync',
  auth: 'key',
  scope: 'any-key',
  errors: 'detail',
  isUnlisted: true,
  refusals: ['path_unknown'],
  answers: {},
  docs: { undocumented: 'there is no synchronous generation; it answers that clearly' },
  open: () => async () => {
    throw refuse('path_unknown');
  },
};
