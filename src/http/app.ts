import type { IncomingMessage } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { openRate, type TakeFromRate } from '../admission/rate.ts';
import { addressShare } from '../domain/address.ts';
import { days, seconds } from '../domain/clock.ts';
import { uuidv7 } from '../domain/ids.ts';
import { refuse } from '../domain/refusal.ts';
import { type Access, openRouteAccess, refusalRate, unlimitedAccess } from './access.ts';
import { getDelivery, listDeliveries, redeliver, redeliverFailed } from './admin/deliveries.ts';
import { deleteAnyFile, getAnyFile, listAllFiles, uploadFromConsole } from './admin/files.ts';
import { cancelAnyJob, cancelManyJobs, rerunAnyJob } from './admin/job-actions.ts';
import { getAnyJob, listAllJobs } from './admin/jobs.ts';
import { changeKey, listAllKeys, makeKey, revokeApiKey } from './admin/keys.ts';
import { getAudit, getOverview } from './admin/overview.ts';
import { changePassword } from './admin/own-password.ts';
import { addPerson, changePerson, deletePerson, listPeople } from './admin/people.ts';
import {
  getModelForConsole,
  listModelsForConsole,
  runFromConsole,
  validateFromConsole,
} from './admin/playground.ts';
import { listProviders, pauseProvider, resumeProvider, testProvider } from './admin/providers.ts';
import {
  beginSession,
  endAllOtherSessions,
  endOneSession,
  endSession,
  getSession,
  listSessions,
} from './admin/sessions.ts';
import { getChecks, getSetup, makeFirstPerson } from './admin/setup.ts';
import {
  listDoubts,
  resendSubmission,
  resolveAsCharged,
  resolveAsNotCharged,
} from './admin/uncertain-submissions.ts';
import { getUsage } from './admin/usage.ts';
import { answerFailure, answerUnreadable, closeWithRefusal } from './answer-refusal.ts';
import { clientAddress } from './client-address.ts';
import { type Connections, keepAliveMs, openConnections } from './connections.ts';
import { openMinBodyRate } from './min-body-rate.ts';
import { PipelinedMessage } from './pipelines.ts';
import type { HttpContext, Route } from './route.ts';
import { cancelJob } from './routes/cancel-job.ts';
import { createJob } from './routes/create-job.ts';
import { downloadFile } from './routes/download-file.ts';
import { deleteFile, getFile, getFileContent, listFiles } from './routes/files.ts';
import { getCallbackSecret } from './routes/get-callback-secret.ts';
import { getConsole, getConsoleRoot } from './routes/get-console.ts';
import { getDocs, getDocsScript, getDocsStart } from './routes/get-docs.ts';
import { getLlmsText } from './routes/get-llms-text.ts';
import { getModelsJson } from './routes/get-models-json.ts';
import { getOpenApi } from './routes/get-openapi.ts';
import { getResponse, getResponseAlias } from './routes/get-response.ts';
import { getStatus } from './routes/get-status.ts';
import { getHealth, getMetrics, getReadiness } from './routes/health.ts';
import { listJobs } from './routes/list-jobs.ts';
import { callMcp, refuseMcpStream } from './routes/mcp.ts';
import { getModel, listModels, validateInput } from './routes/models.ts';
import { getOwnJob, listOwnJobs } from './routes/own-jobs.ts';
import { refuseStream } from './routes/refuse-stream.ts';
import { refuseSync } from './routes/refuse-sync.ts';
import { uploadFile } from './routes/upload-file.ts';
import { onUpstreamWebhook } from './routes/upstream-webhook.ts';
import { openRefuseUnmatched, openRefuseUnmatchedInQueue, type RefuseUnmatched } from './unmatched.ts';

/** Every endpoint. The queue stands under two mounts (decisions 2). */
const queueRoutes = [
  createJob,
  refuseSync,
  listJobs,
  getStatus,
  refuseStream,
  getResponse,
  getResponseAlias,
  cancelJob,
];
const queueMounts = ['/v1/queue', '/model/v1/queue'];
const otherRoutes = [
  listOwnJobs,
  getOwnJob,
  uploadFile,
  listFiles,
  getFile,
  getFileContent,
  deleteFile,
  downloadFile,
  listModels,
  getModel,
  validateInput,
  getCallbackSecret,
  onUpstreamWebhook,
  getOpenApi,
  getModelsJson,
  getLlmsText,
  getDocs,
  getDocsStart,
  getDocsScript,
  callMcp,
  refuseMcpStream,
  getConsoleRoot,
  getConsole,
];
const adminRoutes = [
  getSetup,
  makeFirstPerson,
  getChecks,
  beginSession,
  getSession,
  endSession,
  changePassword,
  listSessions,
  endOneSession,
  endAllOtherSessions,
  getOverview,
  listAllJobs,
  getAnyJob,
  cancelAnyJob,
  rerunAnyJob,
  cancelManyJobs,
  listModelsForConsole,
  getModelForConsole,
  validateFromConsole,
  runFromConsole,
  listAllFiles,
  getAnyFile,
  uploadFromConsole,
  deleteAnyFile,
  listAllKeys,
  makeKey,
  changeKey,
  revokeApiKey,
  getUsage,
  listProviders,
  testProvider,
  pauseProvider,
  resumeProvider,
  getAudit,
  listPeople,
  addPerson,
  changePerson,
  deletePerson,
  listDeliveries,
  getDelivery,
  redeliver,
  redeliverFailed,
  listDoubts,
  resolveAsCharged,
  resolveAsNotCharged,
  resendSubmission,
];
const healthRoutes = [getHealth, getReadiness, getMetrics];

/**
 * How long a request's headers may take to arrive. Bodies must keep a pace; the time for the whole of it is
 * beyond what 64 MB take at that pace.
 */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 600_000;
const timeoutCheckIntervalMs = 5_000;
/** Once we stop: how long what is in flight may take. Then whoever is still connected is cut off. */
const shutdownGraceMs = 10_000;
/** As long as all headers may be: an id of any length is judged by its route, like a wrong one. */
const maxParamLength = 16 * 1024;
/** How long a browser that came by https never asks otherwise again. */
const hstsMaxAgeMs = 365 * days;
/** Stands for every Content-Type before the framework, which would refuse a malformed one ahead of the gates. */
const anyContentType = 'application/octet-stream';

/** The whole HTTP side. */
export function createApp(parts: HttpContext): FastifyInstance {
  const accessTo = openRouteAccess(parts.clock);
  const made = [
    ...queueMounts.flatMap(mount =>
      queueRoutes.map(make => ({ route: mountRoute(mount, make(parts)), access: accessTo(make) })),
    ),
    ...[...otherRoutes, ...adminRoutes].map(make => ({ route: make(parts), access: accessTo(make) })),
    ...healthRoutes.map(make => ({ route: make(parts), access: unlimitedAccess })),
  ];
  const routes = made.map(({ route }) => route);
  const takeFromStrangers = openRate<string>(refusalRate, parts.clock);
  const why = openRefuseUnmatchedInQueue(parts, queueMounts, routes);
  const app = createServer(parts, takeFromStrangers, why);
  for (const { route, access } of made) addRoute(app, route, { ...parts, takeFromStrangers }, access);
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** See `Access`. */
    readonly needsKey?: boolean;
  }
}

/** For a process that only works: health and figures. */
export function createHealthApp(
  parts: ServerDependencies & Pick<HttpContext, 'whyNotReady' | 'metrics' | 'metricsToken'>,
): FastifyInstance {
  const routes = healthRoutes.map(route => route(parts));
  const takeFromStrangers = openRate<string>(refusalRate, parts.clock);
  const app = createServer(parts, takeFromStrangers, openRefuseUnmatched(routes));
  for (const route of routes) addRoute(app, route, { ...parts, takeFromStrangers }, unlimitedAccess);
  return app;
}

/** What answers of failures need. */
type ErrorAnswerDependencies = Pick<HttpContext, 'log' | 'onRefused'> & {
  readonly takeFromStrangers: TakeFromRate<string>;
};

type ServerDependencies = Pick<HttpContext, 'clock' | 'log' | 'onRefused' | 'connectionLimits' | 'publicUrl'>;

function createServer(
  { clock, log, onRefused, connectionLimits, publicUrl }: ServerDependencies,
  takeFromStrangers: TakeFromRate<string>,
  whyUnmatched: RefuseUnmatched,
): FastifyInstance {
  const pace = openMinBodyRate(clock);
  const connections = openConnections(connectionLimits, clock, onRefused);
  const answer = (failure: unknown, request: FastifyRequest, reply: FastifyReply) =>
    answerFailure(failure, {
      request,
      reply,
      errors: isFilePath(request.url) ? 'file' : 'detail',
      log,
      onRefused,
      takeFromStrangers,
    });
  const app = Fastify({
    genReqId: () => uuidv7(clock.now()),
    requestIdHeader: false,
    logger: false,
    exposeHeadRoutes: false,
    // Whoever is still connected while we stop gets the contract's answers.
    return503OnClosing: false,
    trustProxy: connectionLimits.isTrustedProxy,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength },
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: timeoutCheckIntervalMs,
      IncomingMessage: PipelinedMessage,
    },
    clientErrorHandler: (failure, socket) => {
      const refusal = answerUnreadable(failure, socket, uuidv7(clock.now()));
      if (refusal) onRefused(refusal);
    },
    // Found before any hook is run.
    frameworkErrors: (failure, request, reply) =>
      connections.enter(request.raw, reply.raw, () => {
        setCommonHeaders(request, reply, publicUrl());
        // A signed address of which a changed byte cannot even be decoded.
        const isAddress = failure.code === 'FST_ERR_BAD_URL' && request.url.startsWith('/v1/f/');
        answer(isAddress ? refuse('invalid_signature') : failure, request, reply);
      }),
  });
  app.addHook('onRequest', (request, reply, done) => connections.enter(request.raw, reply.raw, done));
  app.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(request, reply, publicUrl());
    if (hasBody(request.raw)) pace.watch(request.raw, () => cutSlowBody(request, reply));
    // The gates read the raw request.
    if (request.raw.headers['content-type'] !== undefined)
      request.headers = { 'content-type': anyContentType };
  });
  app.addHook('onResponse', async request => {
    if (request.raw.complete) pace.forget(request.raw);
  });
  app.addHook('onClose', async () => pace.close());
  guardConnections(app, connections);
  // Bodies are read by the gates: authentication comes first, and each model has its own bound.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('preClose', async () => {
    // Or a connection that was busy at that moment, or never asked anything, would hold up the stop.
    app.server.keepAliveTimeout = 1;
    setTimeout(() => app.server.closeAllConnections(), shutdownGraceMs).unref();
  });
  app.setErrorHandler(answer);
  app.setNotFoundHandler(async (request, reply) => {
    throw await whyUnmatched(request, reply);
  });
  return app;
}

/** Tells the connections of an app who showed a key, and clients how long they may be silent. */
function guardConnections(app: FastifyInstance, connections: Connections): void {
  connections.guard(app.server);
  app.addHook('onSend', (request, reply, _body, done) => {
    if (request.routeOptions.config.needsKey && reply.statusCode < 400) connections.trust(request.raw.socket);
    const keepAlive = connections.keepAliveHeader(reply.raw);
    if (keepAlive !== null) reply.header('keep-alive', keepAlive);
    done();
  });
  app.addHook('onClose', async () => connections.close());
}

/** Whoever was answered already is not told why; whoever reads the body gets the refusal thrown. */
function cutSlowBody({ raw, id }: FastifyRequest, reply: FastifyReply): void {
  const refusal = refuse('request_too_slow');
  if (!reply.raw.headersSent) closeWithRefusal(refusal, raw.socket, id);
  raw.destroy(refusal);
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  reply
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff');
  if (publicUrl.startsWith('https:'))
    reply.header('strict-transport-security', `max-age=${hstsMaxAgeMs / seconds}`);
}

const isFilePath = (url: string): boolean => /^\/v1\/(?:files|f)(?:[/?]|$)/.test(url);

const mountRoute = (mount: string, route: Route): Route => ({ ...route, path: mount + route.path });

function addRoute(
  app: FastifyInstance,
  { method, path, handle, errors }: Route,
  { log, onRefused, takeFromStrangers }: ErrorAnswerDependencies,
  { needsKey, takeFromAddress }: Access,
): void {
  app.route({
    method: [method].flat() as HTTPMethods[],
    url: path,
    config: { needsKey },
    ...(takeFromAddress && {
      onRequest: async request => takeFromAddress(addressShare(clientAddress(request))),
    }),
    handler: handle,
    errorHandler: (failure, request, reply) =>
      answerFailure(failure, { request, reply, errors, log, onRefused, takeFromStrangers }),
  });
}
