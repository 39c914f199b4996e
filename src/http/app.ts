import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { uuidv7 } from '../domain/ids.ts';
import { refuse } from '../domain/refusal.ts';
import { answerFailure, answerUnreadable } from './answer-refusal.ts';
import type { HttpParts, Route } from './parts.ts';
import { cancelJob } from './routes/cancel-job.ts';
import { createJob } from './routes/create-job.ts';
import { downloadFile } from './routes/download-file.ts';
import { deleteFile, getFile, getFileContent, listFiles } from './routes/files.ts';
import { getOpenApi } from './routes/get-openapi.ts';
import { getResponse, getResponseAlias } from './routes/get-response.ts';
import { getStatus } from './routes/get-status.ts';
import { getHealth, getMetrics, getReadiness } from './routes/health.ts';
import { listJobs } from './routes/list-jobs.ts';
import { getModel, listModels, validateInput } from './routes/models.ts';
import { refuseStream } from './routes/refuse-stream.ts';
import { refuseSync } from './routes/refuse-sync.ts';
import { uploadFile } from './routes/upload-file.ts';

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
  uploadFile,
  listFiles,
  getFile,
  getFileContent,
  deleteFile,
  downloadFile,
  listModels,
  getModel,
  validateInput,
  getOpenApi,
];
const healthRoutes = [getHealth, getReadiness, getMetrics];

/** How long a request's headers, and the whole of it, may take to arrive. 64 MB over a slow line is the longest. */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 300_000;
const keepAliveTimeoutMs = 72_000;
/** Once we stop: how long what is in flight may take. Then whoever is still connected is cut off. */
const lastAnswersMs = 10_000;
/** As long as all headers may be: an id of any length is judged by its route, like a wrong one. */
const maxParamLength = 16 * 1024;
/** Stands for every Content-Type before the framework, which would refuse a malformed one ahead of the gates. */
const anyContentType = 'application/octet-stream';

/** The whole HTTP side. */
export function createApp(parts: HttpParts): FastifyInstance {
  const app = createServer(parts);
  const routes = queueMounts.flatMap(mount => queueRoutes.map(route => under(mount, route(parts))));
  for (const route of [...routes, ...otherRoutes.map(route => route(parts))]) add(app, route, parts);
  for (const route of healthRoutes) add(app, route(parts), parts);
  return app;
}

/** For a process that only works: health and figures. */
export function createHealthApp(
  parts: Pick<HttpParts, 'clock' | 'log' | 'whyNotReady' | 'metrics'>,
): FastifyInstance {
  const app = createServer(parts);
  for (const route of healthRoutes) add(app, route(parts), parts);
  return app;
}

function createServer({ clock, log }: Pick<HttpParts, 'clock' | 'log'>): FastifyInstance {
  const answer = (failure: unknown, request: FastifyRequest, reply: FastifyReply) =>
    answerFailure(failure, { request, reply, errors: isFilePath(request.url) ? 'file' : 'detail', log });
  const app = Fastify({
    genReqId: () => uuidv7(clock.now()),
    requestIdHeader: false,
    logger: false,
    exposeHeadRoutes: false,
    // Whoever is still connected while we stop gets the contract's answers.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength },
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    http: { headersTimeout: headersTimeoutMs },
    clientErrorHandler: (failure, socket) => answerUnreadable(failure, socket, uuidv7(clock.now())),
    frameworkErrors: (failure, request, reply) => {
      stamp(request, reply);
      // A signed address of which a changed byte cannot even be decoded.
      const isAddress = failure.code === 'FST_ERR_BAD_URL' && request.url.startsWith('/v1/f/');
      answer(isAddress ? refuse('invalid_signature', { cause: failure }) : failure, request, reply);
    },
  });
  app.addHook('onRequest', async (request, reply) => {
    stamp(request, reply);
    // The gates read the raw request.
    if (request.raw.headers['content-type'] !== undefined)
      request.headers = { 'content-type': anyContentType };
  });
  // Bodies are read by the gates: authentication comes first, and each model has its own bound.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('preClose', async () => {
    // Or a connection that was busy at that moment, or never asked anything, would hold up the stop.
    app.server.keepAliveTimeout = 1;
    setTimeout(() => app.server.closeAllConnections(), lastAnswersMs).unref();
  });
  app.setErrorHandler(answer);
  app.setNotFoundHandler((request, reply) => answer(refuse('path_unknown'), request, reply));
  return app;
}

function stamp(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).header('cache-control', 'no-store');
}

const isFilePath = (url: string): boolean => /^\/v1\/(?:files|f)(?:[/?]|$)/.test(url);

const under = (mount: string, route: Route): Route => ({ ...route, path: mount + route.path });

function add(
  app: FastifyInstance,
  { method, path, handle, errors }: Route,
  { log }: Pick<HttpParts, 'log'>,
): void {
  app.route({
    method: [method].flat() as HTTPMethods[],
    url: path,
    handler: handle,
    errorHandler: (failure, request, reply) => answerFailure(failure, { request, reply, errors, log }),
  });
}
