/** Authentication of every route by its declaration, before its handler runs. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerOf } from '../admission/authenticate.ts';
import { isLoopback } from '../domain/address.ts';
import { constantTimeEqualText } from '../domain/constant-time-equal.ts';
import { hasScope, type Principal, refusalOfScope, type Scope } from '../domain/key.ts';
import { refuse } from '../domain/refusal.ts';
import { identifyOperator } from './admin/identify-operator.ts';
import type { HealthContext, HttpContext } from './http-context.ts';
import type { HealthRoute, OpenHandler, Route } from './route.ts';

/** The handler of a route behind its authentication. */
export function openGatedHandler(route: Route, context: HttpContext, routes: readonly Route[]): OpenHandler {
  switch (route.auth) {
    case 'key': {
      const handle = route.open(context, routes);
      // Async, so that no refusal is sent while the packet is parsed: a malformed rest of it is answered instead.
      return async (request, reply) => {
        route.precheck?.(request, context);
        const principal = identifyKey(context, request, route.scope, route.schemes);
        return handle(principal instanceof Promise ? await principal : principal, request, reply);
      };
    }
    case 'admin':
    case 'session': {
      const role = route.auth === 'admin' ? route.role : 'viewer';
      const handle = route.open(context, routes);
      return async (request, reply) => handle(await identifyOperator(context, request, role), request, reply);
    }
    case 'metrics':
      return openMetricsHandler(route.open(context, routes), context);
    case 'none':
    case 'signed':
      return asAsync(route.open(context, routes));
  }
}

/** The same for a process without the API. */
export const openHealthHandler = (route: HealthRoute, context: HealthContext): OpenHandler =>
  route.auth === 'metrics'
    ? openMetricsHandler(route.open(context, []), context)
    : asAsync(route.open(context, []));

/**
 * The first gates of every request with a key: is the key valid, is it within its rate, and has it the scope that the
 * route needs.
 */
export function identifyKey(
  { authenticate, takeFromRate }: Pick<HttpContext, 'authenticate' | 'takeFromRate'>,
  request: FastifyRequest,
  needed: Scope | 'any-key',
  schemes: readonly string[] = [],
): Principal | Promise<Principal> {
  const admit = (principal: Principal): Principal => {
    takeFromRate(principal.keyId);
    if (needed !== 'any-key' && !hasScope(principal, needed)) throw refuse(refusalOfScope[needed]);
    return principal;
  };
  // A cached key needs no promise.
  const principal = authenticate(asBearer(request.raw.headers.authorization, schemes));
  return principal instanceof Promise ? principal.then(admit) : admit(principal);
}

/** The header with one of these schemes read as `Bearer`. */
function asBearer(authorization: string | undefined, schemes: readonly string[]): string | undefined {
  const [scheme = '', ...rest] = schemes.length === 0 ? [] : (authorization ?? '').split(' ');
  const isKnown = schemes.some(known => known.toLowerCase() === scheme.toLowerCase());
  return isKnown ? ['Bearer', ...rest].join(' ') : authorization;
}

/** Turns a thrown error of a synchronous handler into a rejected promise. */
const asAsync =
  (handle: OpenHandler): OpenHandler =>
  async (request: FastifyRequest, reply: FastifyReply) =>
    handle(request, reply);

/** Checks the metrics token, or the address where no token is set. */
function openMetricsHandler(handle: OpenHandler, { metricsToken }: HealthContext): OpenHandler {
  return async (request, reply) => {
    if (metricsToken === null) refuseRemote(request);
    else refuseWithoutToken(request, metricsToken);
    return handle(request, reply);
  };
}

/** Compared in constant time; a missing or wrong token is refused as any other. */
function refuseWithoutToken({ raw }: FastifyRequest, metricsToken: string): void {
  if (!constantTimeEqualText(bearerOf(raw.headers.authorization) ?? '', metricsToken))
    throw refuse('metrics_token_invalid');
}

/** Headers in which a proxy names the client that it forwards for. */
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

/** Refuses a request from another machine, also one that a proxy on this machine forwards. */
function refuseRemote({ raw: { headers, socket } }: FastifyRequest): void {
  const forwardedFor = clientAddressHeaders
    .flatMap(name => headers[name] ?? [])
    .flatMap(value => value.split(','))
    .map(address => address.trim());
  if (![socket.remoteAddress ?? '', ...forwardedFor].every(isLoopback)) throw refuse('metrics_only_here');
}
