import type { otherCodes } from '../../domain/refusal-help.ts';
import type { HttpParts, Route } from '../parts.ts';

const notReady: keyof typeof otherCodes = 'not_ready';

type HealthParts = Pick<HttpParts, 'whyNotReady' | 'metrics'>;

/** The process answers. */
export const getHealth = (): Route => ({
  method: 'GET',
  path: '/healthz',
  errors: 'detail',
  handle: async () => ({ status: 'ok' }),
});

/** Database, blobs and worker are ready; else 503 with the reason. */
export const getReadiness = ({ whyNotReady }: HealthParts): Route => ({
  method: 'GET',
  path: '/readyz',
  errors: 'detail',
  async handle(_, reply) {
    const reason = await whyNotReady();
    if (reason === null) return { status: 'ok' };
    reply.code(503).header('x-error-code', notReady);
    return { status: 'unavailable', reason };
  },
});

export const getMetrics = ({ metrics }: HealthParts): Route => ({
  method: 'GET',
  path: '/metrics',
  errors: 'detail',
  async handle(_, reply) {
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    return metrics();
  },
});
