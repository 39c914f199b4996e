import { type HttpContext, identify, type Route } from '../route.ts';

/** Decisions 5: what one's own callbacks are signed with. During a rotation it is the new one. */
export const getCallbackSecret = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/v1/webhooks/default/secret',
  errors: 'detail',
  async handle(request) {
    const { userId } = await identify(parts, request, 'webhook-secret');
    const [key] = await parts.callbackSecrets.read(userId, parts.clock.now());
    return { key };
  },
});
