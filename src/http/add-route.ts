/** Puts a route into the server: its rate by address, its handler, and the answers of its failures. */

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { openRateLimit, type TakeFromRate } from '../admission/rate-limit.ts';
import { addressShare } from '../domain/address.ts';
import type { Clock } from '../domain/clock.ts';
import type { RateLimit } from '../domain/limits.ts';
import { answerFailure } from './answer-refusal.ts';
import { clientAddress } from './client-address.ts';
import type { HttpContext } from './http-context.ts';
import { refusalsOf } from './refusals-of-route.ts';
import { needsCredentials, type OpenHandler, type Route } from './route.ts';
import { verifyBody } from './verify-body.ts';

/** Pages and documents, for each client address; no person comes near it. */
const publicRate: RateLimit = { perSecond: 50, burst: 500 };
/** Signed URLs, for each client address. Programs and upstreams fetch many: as many as a key may request. */
const filesRate: RateLimit = { perSecond: 200, burst: 2_000 };
/** Refusals of an address that shows no key; beyond it a connection gets 429 and is closed, and no line is logged. */
export const refusalRate: RateLimit = { perSecond: 100, burst: 2_000 };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A success shows that the connection has a valid key or session. */
    readonly needsKey?: boolean;
  }
}

type AddressRates = Readonly<Record<'public' | 'files', TakeFromRate<string>>>;

/** The rates that routes share, counted in this process. */
export const openAddressRates = (clock: Clock): AddressRates => ({
  public: openRateLimit<string>(publicRate, clock),
  files: openRateLimit<string>(filesRate, clock),
});

/** What the answers of a route need from the server. */
interface AddRouteContext
  extends Pick<HttpContext, 'log' | 'onRefused' | 'verifiesDeclarations'>,
    Partial<Pick<HttpContext, 'recordRefusal'>> {
  readonly takeFromStrangers: TakeFromRate<string>;
  readonly rates: AddressRates;
}

/** Registers a route; `handle` is its handler behind its authentication. */
export function addRoute(
  app: FastifyInstance,
  route: Route,
  handle: OpenHandler,
  { log, onRefused, recordRefusal, takeFromStrangers, rates, verifiesDeclarations = false }: AddRouteContext,
): void {
  const takeFromAddress =
    'addressRate' in route && route.addressRate !== null ? rates[route.addressRate] : null;
  const declared = verifiesDeclarations ? refusalsOf(route) : null;
  app.route({
    method: [route.method].flat() as HTTPMethods[],
    url: route.path,
    config: { needsKey: needsCredentials(route) },
    ...(takeFromAddress && {
      onRequest: async request => takeFromAddress(addressShare(clientAddress(request))),
    }),
    handler: verifiesDeclarations ? withVerifiedBody(route, handle) : handle,
    errorHandler: (failure, request, reply) =>
      answerFailure(failure, {
        request,
        reply,
        errors: route.errors,
        log,
        onRefused,
        recordRefusal,
        takeFromStrangers,
        declared,
      }),
  });
}

/** For tests: a body that does not fit what its route declares is a failure of ours. */
const withVerifiedBody =
  (route: Route, handle: OpenHandler): OpenHandler =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const body = await handle(request, reply);
    if (body !== reply) verifyBody(route, reply.statusCode, body);
    return body;
  };
