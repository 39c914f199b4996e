/** Health, readiness and metrics of the process. */

import { healthySchema, notReadySchema, readySchema } from '../../answers/health.ts';
import type { otherCodes } from '../../domain/refusal-help.ts';
import type { HealthContext } from '../http-context.ts';
import type { MetricsRoute, OpenRoute } from '../route.ts';

/** `X-Error-Code` of a process that is not ready. */
const notReady: keyof typeof otherCodes = 'not_ready';

/** Ready all the same: the settings of before are in use. The faults themselves are in the console and the log. */
const reloadFailed = 'settings reload failed: previous settings kept';

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
    200: { description: 'The process is ready.', body: readySchema },
    503: { description: 'It is not, for this reason.', body: notReadySchema },
  },
  docs: { undocumented: 'for the load balancer in front of the process' },
  open:
    ({ whyNotReady, settingsFaults }) =>
    async (_request, reply) => {
      const reason = await whyNotReady();
      if (reason === null)
        return { status: 'ok', ...(settingsFaults().length > 0 && { warning: reloadFailed }) };
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
