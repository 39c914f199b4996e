/** The secret of callbacks (webhooks). */

import { callbackSecretSchema } from '../../answers/callback-secret.ts';
import type { KeyRoute } from '../route.ts';

/** Decisions 5: the secret that the user's callbacks are signed with; during a rotation the new one. */
export const getCallbackSecret: KeyRoute = {
  method: 'GET',
  path: '/v1/webhooks/default/secret',
  auth: 'key',
  scope: 'webhook-secret',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'For a verifier of Standard Webhooks.', body: callbackSecretSchema },
  },
  docs: {
    tag: 'Callbacks',
    operationId: 'getCallbackSecret',
    summary: 'The secret that your callbacks (webhooks) are signed with',
  },
  open:
    context =>
    async ({ userId }) => {
      const [key] = await context.callbackSecrets.read(userId, context.clock.now());
      return { key };
    },
};
