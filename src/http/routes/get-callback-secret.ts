import { type HttpParts, identify, type Route } from '../parts.ts';

/** Decisions 5: what one's own callbacks are signed with. During a rotation it is the new one. */
export const getCallbackSecret = (parts: HttpParts): Route => ({
  method: 'GET',
  path: '/v1/webhooks/default/secret',
  errors: 'detail',
  async handle(request) {
    const { userId } = await identify(parts, request, 'webhook-secret');
    const [key] = await parts.callbackSecrets.read(userId, parts.clock.now());
    return { key };
  },
});
