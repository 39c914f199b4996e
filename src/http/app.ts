/** The HTTP server: limits of time and connections, common headers, and every route behind its authentication. */

import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { openRateLimit, type TakeFromRate } from '../admission/rate-limit.ts';
import { days, seconds } from '../domain/clock.ts';
import { openRequestIds } from '../domain/ids.ts';
import { type MountName, mountNames, mountOfPath } from '../domain/mounts.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { addRoute, openAddressRates, refusalRate } from './add-route.ts';
import { answerFailure, answerUnreadable, closeWithRefusal } from './answer-refusal.ts';
import { type Connections, keepAliveMs, openConnections } from './connections.ts';
import type { HealthContext, HttpContext } from './http-context.ts';
import { openMinBodyRate, type WatchedBody } from './min-body-rate.ts';
import { mountRoutes } from './mounts/mount-list.ts';
import { PipelinedMessage } from './pipelines.ts';
import type { ErrorShape } from './route.ts';
import { openGatedHandler, openHealthHandler } from './route-auth.ts';
import { healthRoutes, queueMounts, routes } from './route-list.ts';
import { openRefuseUnmatched, openRefuseUnmatchedInQueue, type RefuseUnmatched } from './unmatched.ts';

/**
 * How long the headers of a request may take to arrive. Bodies have a minimum rate; the timeout of a whole request is
 * beyond what 64 MB take at that rate.
 */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 600_000;
/** How often Node looks for requests beyond their timeouts, which end up to so much later. */
const timeoutCheckIntervalMs = 5_000;
/** After a stop: how long in-flight requests may take before their connections are closed. */
const shutdownGraceMs = 10_000;
/** As long as all headers may be: an id of any length reaches its route, which refuses it like an unknown one. */
const maxParamLength = 16 * 1024;
/** How long a browser that used HTTPS uses nothing else. */
const hstsMaxAgeMs = 365 * days;
/** Those of routes whose requests may have a body. */
const methodsWithBody = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Our gates validate, and no route has a schema of the framework: its compilers are not even loaded. */
const noCompiler = () => () => {
  throw new Error('expected a route without a schema of the framework');
};

/** The HTTP server of a process with the API. */
export function createApp(context: HttpContext): FastifyInstance {
  const takeFromStrangers = openRateLimit<string>(refusalRate, context.clock);
  const mounts = mountNames.filter(name => context.mounts()[name]);
  const served = [...routes, ...mounts.flatMap(name => mountRoutes[name])];
  const findRefusal = openRefuseUnmatchedInQueue(context, queueMounts, served);
  const app = createServer(context, { takeFromStrangers, whyUnmatched: findRefusal, mounts });
  const rates = openAddressRates(context.clock);
  for (const route of served) {
    const handle = openGatedHandler(route, context, served);
    addRoute(app, route, handle, { ...context, takeFromStrangers, rates });
  }
  return app;
}

/** The HTTP server of a process without the API: health and metrics. */
export function createHealthApp(context: ServerContext & HealthContext): FastifyInstance {
  const takeFromStrangers = openRateLimit<string>(refusalRate, context.clock);
  const whyUnmatched = openRefuseUnmatched(healthRoutes);
  const app = createServer(context, { takeFromStrangers, whyUnmatched, mounts: [] });
  const rates = openAddressRates(context.clock);
  for (const route of healthRoutes) {
    const handle = openHealthHandler(route, context);
    addRoute(app, route, handle, { ...context, takeFromStrangers, rates });
  }
  return app;
}

/** What the server itself needs, beside what its routes are given. */
type ServerContext = Pick<
  HttpContext,
  'clock' | 'log' | 'onAnswered' | 'onRefused' | 'connectionLimits' | 'publicUrl' | 'verifiesDeclarations'
> &
  Partial<Pick<HttpContext, 'recordRefusal'>>;

/** How requests are answered that no route takes. */
interface Strays {
  readonly takeFromStrangers: TakeFromRate<string>;
  readonly whyUnmatched: RefuseUnmatched;
  /** The mounts that are served: below their paths failures are in their words. */
  readonly mounts: readonly MountName[];
}

/** The server without routes: limits, hooks, and the answers of failures before a route is found. */
function createServer(
  { clock, log, onAnswered, onRefused, recordRefusal, connectionLimits, publicUrl }: ServerContext,
  { takeFromStrangers, whyUnmatched, mounts }: Strays,
): FastifyInstance {
  const newRequestId = openRequestIds(clock);
  const pace = openMinBodyRate(clock);
  const connections = openConnections(connectionLimits, clock, onRefused);
  const answer = (failure: unknown, request: FastifyRequest, reply: FastifyReply) =>
    answerFailure(failure, {
      request,
      reply,
      errors: errorsOfPath(request.url, mounts),
      log,
      onRefused,
      recordRefusal,
      takeFromStrangers,
    });
  const app = Fastify({
    genReqId: newRequestId,
    requestIdHeader: false,
    logger: false,
    exposeHeadRoutes: false,
    // Requests during a stop get the contract's answers.
    return503OnClosing: false,
    trustProxy: connectionLimits.isTrustedProxy,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength },
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: timeoutCheckIntervalMs,
      IncomingMessage: PipelinedMessage,
    },
    clientErrorHandler: (failure, socket) => {
      const refusal = answerUnreadable(failure, socket, newRequestId());
      if (refusal) onRefused(refusal);
    },
    // Found before any hook is run.
    frameworkErrors: (failure, request, reply) =>
      connections.enter(request.raw, reply.raw, () => {
        setCommonHeaders(request, reply, publicUrl());
        answer(refusalOfBadUrl(failure, request) ?? failure, request, reply);
      }),
  });
  // One hook and one listener for all that a request begins and ends: a hook at the end costs as much as a lookup.
  app.addHook('onRequest', (request, reply, done) => {
    const begunAt = performance.now();
    let body: WatchedBody | null = null;
    const begin = () => {
      setCommonHeaders(request, reply, publicUrl());
      if (hasBody(request.raw)) body = pace.watch(request.raw, () => cutSlowBody(request, reply));
      done();
    };
    const end = () => {
      if (body && request.raw.complete) pace.forget(body);
      if (!reply.raw.writableFinished) return;
      // The route as it was declared, not the path of the request, which has ids in it.
      const route = request.routeOptions.url ?? 'unknown';
      onAnswered(route, request.method, reply.statusCode, (performance.now() - begunAt) / seconds);
    };
    connections.enter(request.raw, reply.raw, begin, end);
  });
  app.addHook('onClose', async () => pace.close());
  guardConnections(app, connections);
  // Bodies are read by the gates: authentication comes first, and each model has its own bound. So the framework looks
  // for none, and refuses no Content-Type ahead of the gates.
  for (const method of methodsWithBody) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.addHook('preClose', async () => {
    // Otherwise a connection that is busy now, or never sends a request, would delay the stop.
    app.server.keepAliveTimeout = 1;
    setTimeout(() => app.server.closeAllConnections(), shutdownGraceMs).unref();
  });
  app.setErrorHandler(answer);
  app.setNotFoundHandler(async (request, reply) => {
    throw await whyUnmatched(request, reply);
  });
  return app;
}

/** Marks connections with valid credentials as trusted, and sends clients the idle timeout. */
function guardConnections(app: FastifyInstance, connections: Connections): void {
  connections.guard(app.server);
  app.addHook('onSend', (request, reply, _body, done) => {
    const { socket } = request.raw;
    if (!connections.isTrusted(socket)) {
      if (reply.statusCode < 400 && request.routeOptions.config.needsKey) connections.trust(socket);
      const keepAlive = connections.keepAliveHeader(reply.raw);
      if (keepAlive !== null) reply.header('keep-alive', keepAlive);
    }
    done();
  });
  app.addHook('onClose', async () => connections.close());
}

/** A signed address of which a changed byte cannot even be decoded; null for any other URL. */
const refusalOfBadUrl = ({ code }: { readonly code: string }, { url }: FastifyRequest): Refusal | null =>
  code === 'FST_ERR_BAD_URL' && url.startsWith('/v1/f/') ? refuse('invalid_signature') : null;

/** Refuses a slow body: on the connection if there is no answer yet, and to the reader of the body. */
function cutSlowBody({ raw, id }: FastifyRequest, reply: FastifyReply): void {
  const refusal = refuse('request_too_slow');
  if (!reply.raw.headersSent) closeWithRefusal(refusal, raw.socket, id);
  raw.destroy(refusal);
}

/** Whether a body follows the headers. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Headers of every answer. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  reply
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff');
  if (publicUrl.startsWith('https:'))
    reply.header('strict-transport-security', `max-age=${hstsMaxAgeMs / seconds}`);
}

/** The error body of failures below this path that no route answers. A mount that is switched off has no words. */
function errorsOfPath(url: string, mounts: readonly MountName[]): ErrorShape {
  const mount = mountOfPath(url);
  if (mount !== null && mounts.includes(mount)) return mount;
  return /^\/v1\/(?:files|f)(?:[/?]|$)/.test(url) ? 'file' : 'detail';
}
