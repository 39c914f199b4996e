import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../../admission/authenticate.ts';
import { isLoopback } from '../../domain/address.ts';
import { constantTimeEqualText } from '../../domain/constant-time-equal.ts';
import { refuse } from '../../domain/refusal.ts';
import type { otherCodes } from '../../domain/refusal-help.ts';
import type { HttpContext, Route } from '../route.ts';

const notReady: keyof typeof otherCodes = 'not_ready';

type HealthDependencies = Pick<HttpContext, 'whyNotReady' | 'metrics' | 'metricsToken'>;

/** The process answers. */
export const getHealth = (): Route => ({
  method: 'GET',
  path: '/healthz',
  errors: 'detail',
  handle: async () => ({ status: 'ok' }),
});

/** Database, blobs and worker are ready; else 503 with the reason. */
export const getReadiness = ({ whyNotReady }: HealthDependencies): Route => ({
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

/** Prometheus text: by its token, or where none is set for this machine alone. */
export const getMetrics = ({ metrics, metricsToken }: HealthDependencies): Route => ({
  method: 'GET',
  path: '/metrics',
  errors: 'detail',
  async handle(request, reply) {
    if (metricsToken === null) refuseRemote(request);
    else refuseWithoutToken(request, metricsToken);
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    return metrics();
  },
});

function refuseWithoutToken({ raw }: FastifyRequest, metricsToken: string): void {
  if (!constantTimeEqualText(bearerOf(raw.headers.authorization) ?? '', metricsToken))
    throw refuse('metrics_token_invalid');
}

/** In which a proxy names whom it asks for. */
const clientAddressHeaders = [
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'via',
];

/** Also what a proxy on this machine passes on. */
function refuseRemote({ raw: { headers, socket } }: FastifyRequest): void {
  const passedOn = clientAddressHeaders
    .flatMap(name => headers[name] ?? [])
    .flatMap(value => value.split(','))
    .map(address => address.trim());
  if (![socket.remoteAddress ?? '', ...passedOn].every(isLoopback)) throw refuse('metrics_only_here');
}
