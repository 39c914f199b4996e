/** Health, readiness and metrics of the process. */

import { healthySchema, notReadySchema } from '../../answers/health.ts';
import type { otherCodes } from '../../domain/refusal-help.ts';
import type { HealthContext } from '../http-context.ts';
import type { MetricsRoute, OpenRoute } from '../route.ts';

/** `X-Error-Code` of a process that is not ready. */
const notReady: keyof typeof otherCodes = 'not_ready';

/** The process answers. */
export const getHealth: OpenRoute<HealthContext> = {
  method: 'GET',
  path: '/healthz',
  auth: 'none',
  addressRate: null,
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'The process answers.', body: healthySchema },
  },
  docs: { undocumented: 'for the supervisor of the process' },
  open: () => async () => ({ status: 'ok' }),
};

/** Database, blobs and worker are ready; else 503 with the reason. */
export const getReadiness: OpenRoute<HealthContext> = {
  method: 'GET',
  path: '/readyz',
  auth: 'none',
  addressRate: null,
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'The process is ready.', body: healthySchema },
    503: { description: 'It is not, for this reason.', body: notReadySchema },
  },
  docs: { undocumented: 'for the load balancer in front of the process' },
  open:
    ({ whyNotReady }) =>
    async (_request, reply) => {
      const reason = await whyNotReady();
      if (reason === null) return { status: 'ok' };
      reply.code(503).header('x-error-code', notReady);
      return { status: 'unavailable', reason };
    },
};

/** Prometheus text. */
export const getMetrics: MetricsRoute = {
  method: 'GET',
  path: '/metrics',
  auth: 'metrics',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Prometheus text.', body: null },
  },
  docs: { undocumented: 'for Prometheus' },
  open:
    ({ metrics }) =>
    async (_request, reply) => {
      reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8');
      return metrics();
    },
};
