/** Every failure becomes one of the contract's three error bodies; its cause goes to the log. */

import { type Duplex, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { TakeFromRate } from '../admission/rate-limit.ts';
import { jitteredRetryAfter } from '../body/retry-after.ts';
import { addressShare } from '../domain/address.ts';
import { BlobsUnavailable } from '../domain/blobs.ts';
import { QueueClosed, QueueFull } from '../domain/fair-queue.ts';
import { Refusal, type RefusalName, refuse } from '../domain/refusal.ts';
import { codeOf } from '../domain/refusal-help.ts';
import { SpoolUnavailable } from '../media/spool-file.ts';
import { StoreUnavailable } from '../store/db/connection.ts';
import { builtInHttp } from './built-in-http.ts';
import { clientAddress } from './client-address.ts';
import { errorBodyOf } from './error-body.ts';
import { loggedPath } from './logged-path.ts';
import { asFileRefusal } from './refusals-of-route.ts';
import type { RequestLog } from './request-log.ts';
import type { ErrorShape } from './route.ts';

/** Statuses whose log line names the client address: guesses, and too many requests. */
const statusesWithAddress: readonly number[] = [401, 403, 429];
/** `Retry-After` of an unavailable service, in seconds. */
const unavailableRetrySeconds = 5;
/** Decisions 8: of X-Error-Fields. */
const maxErrorFields = 20;
/** The members of an error that are logged may come from outside. */
const maxErrorFieldsBytes = 1024;

/** Answers a failure with one of the contract's three error bodies; its cause goes to the log. */
export function answerFailure(
  thrown: unknown,
  {
    request,
    reply,
    errors,
    log,
    onRefused,
    takeFromStrangers,
    recordRefusal,
    declared = null,
  }: {
    request: FastifyRequest;
    reply: FastifyReply;
    errors: ErrorShape;
    log: Logger;
    onRefused: (refusal: RefusalName) => void;
    /** Takes one refusal from the rate of an address; throws beyond it. */
    takeFromStrangers: TakeFromRate<string>;
    /** Counts it for the request log; absent where there is none. */
    recordRefusal?: RequestLog['record'] | undefined;
    /** The refusals that the route declares, in tests: any other is answered as an internal error. */
    declared?: ReadonlySet<RefusalName> | null;
  },
): void {
  const tooMany = addressRateRefusal(thrown, request, takeFromStrangers);
  const failure = tooMany ?? asRefusalOfQueue(thrown) ?? thrown;
  const refusal = requireDeclared(asRefusal(failure, errors), declared, errors);
  onRefused(failure instanceof Refusal ? failure.refusal : refusal.refusal);
  recordRefusal?.(request, refusal);
  if (tooMany) reply.header('connection', 'close');
  else logRefusal(log, request, refusal);
  const { entry, details } = refusal;
  // The rest of a refused body is read and discarded, or the connection would hang.
  request.raw.resume();
  reply.header('x-error-code', codeOf(refusal.refusal));
  if (entry.status === 401) reply.header('www-authenticate', 'Bearer');
  if (details.retryAfterSeconds !== undefined) reply.header('retry-after', String(details.retryAfterSeconds));
  if (details.fields) reply.header('x-error-fields', errorFields(details.fields));
  if (details.suggestion !== undefined) reply.header('x-suggestion', details.suggestion);
  if (errors === 'login-page') {
    reply.redirect(loginPageFrom(request.url, codeOf(refusal.refusal)), 303);
    return;
  }
  reply.code(entry.status).header('content-type', 'application/json; charset=utf-8');
  const body = errorBodyOf(refusal, errors, request.id);
  const send = () => void (willBeReset(request) ? sendAndLinger(request, reply, body) : reply.send(body));
  // Many retries at once would delay the event loop for requests that were admitted.
  if (entry.status === 429 || entry.status === 503) setImmediate(send);
  else send();
}

/** Relative, so that whatever a proxy puts before our paths stays; the page is given the code, and asks for its sentence. */
export function loginPageFrom(url: string, refused: string | null): string {
  const depth = url.split('?', 1)[0]!.split('/').length - 2;
  return `${'../'.repeat(depth)}console/${refused === null ? '' : `?refused=${refused}`}`;
}

/** In tests, a refusal that its route does not declare is a failure of ours. */
function requireDeclared(
  refusal: Refusal,
  declared: ReadonlySet<RefusalName> | null,
  errors: ErrorShape,
): Refusal {
  if (declared === null || declared.has(refusal.refusal)) return refusal;
  const cause = new Error(`the route does not declare the refusal ${refusal.refusal}`, { cause: refusal });
  return refuse(errors === 'file' ? 'file_bug' : 'bug', { cause });
}

/** Refusals without credentials: an address that gets more of them than people do is cut off. */
const unauthenticatedRefusals: readonly RefusalName[] = [
  'key_missing',
  'key_invalid',
  'path_unknown',
  'method_not_allowed',
  'file_method_not_allowed',
  'host_foreign',
  'origin_foreign',
  'call_unsigned',
  'metrics_only_here',
  'metrics_token_invalid',
];

/** Null while an address without credentials is within its rate. */
function addressRateRefusal(
  thrown: unknown,
  request: FastifyRequest,
  takeFromStrangers: TakeFromRate<string>,
): Refusal | null {
  if (!(thrown instanceof Refusal) || !unauthenticatedRefusals.includes(thrown.refusal)) return null;
  try {
    takeFromStrangers(addressShare(clientAddress(request)));
    return null;
  } catch (failure) {
    if (failure instanceof Refusal) return failure;
    throw failure;
  }
}

/** One line for each refusal: an error where the fault is ours, else information. */
function logRefusal(log: Logger, request: FastifyRequest, refusal: Refusal): void {
  const { entry, details } = refusal;
  const fields = {
    request: request.id,
    method: request.method,
    path: loggedPath(request.url),
    status: entry.status,
    ...(statusesWithAddress.includes(entry.status) && { address: clientAddress(request) }),
  };
  // The failure of a job was logged when the job failed.
  if (entry.status >= 500 && refusal.refusal !== 'job_failed')
    log.error({ ...fields, err: details.cause ?? refusal }, refusal.message);
  else
    log.info(
      { ...fields, refusal: refusal.refusal, ...(details.cause !== undefined && { err: details.cause }) },
      refusal.message,
    );
}

/** Whether the connection ends with this answer while its sender still sends: the unread rest makes its end a reset. */
const willBeReset = ({ raw }: FastifyRequest): boolean =>
  !raw.complete && (raw.httpVersion === '1.0' || raw.headers.connection?.toLowerCase() === 'close');

/** Sends the whole answer at once and ends it after the body was read, because a reset would overtake it. */
function sendAndLinger({ raw }: FastifyRequest, reply: FastifyReply, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const untilRead = async function* () {
    yield bytes;
    // A client that disconnects is not waited for, and a slow one is cut off.
    await finished(raw, { writable: false }).catch(() => {});
  };
  reply.header('content-length', bytes.length).send(Readable.from(untilRead()));
}

/** The refusal that a failure is answered with: by itself, by its kind, or as an internal error. */
function asRefusal(failure: unknown, errors: ErrorShape): Refusal {
  if (failure instanceof Refusal) {
    const shown = errors === 'file' ? asFileRefusal(failure.refusal) : failure.refusal;
    return shown === failure.refusal ? failure : refuse(shown, failure.details);
  }
  // The message of those is the path, signature and all.
  const details = isPathError(failure) ? {} : { cause: failure };
  const isAiling = [StoreUnavailable, BlobsUnavailable, SpoolUnavailable].some(
    kind => failure instanceof kind,
  );
  if (isAiling) {
    return refuse(errors === 'file' ? 'storage_unavailable' : 'unavailable', {
      ...details,
      retryAfterSeconds: unavailableRetrySeconds,
    });
  }
  // The framework's own errors: a path it cannot decode, a body that ended early.
  const status = failure instanceof Error && 'statusCode' in failure ? Number(failure.statusCode) : 500;
  // Decisions 2: a path that cannot be decoded is an unknown one.
  if (isCode(failure, 'FST_ERR_BAD_URL') && errors !== 'file') return refuse('path_unknown', details);
  const wasCut = isCode(failure, 'ECONNRESET');
  if ((status >= 400 && status < 500) || wasCut) {
    return errors === 'file'
      ? refuse('file_request_invalid', { ...details, subject: 'The request is malformed' })
      : refuse('request_malformed', details);
  }
  return refuse(errors === 'file' ? 'file_bug' : 'bug', details);
}

/** The refusal of a full queue of work, or of a process that stops. */
function asRefusalOfQueue(failure: unknown): Refusal | null {
  const details = { cause: failure, ...jitteredRetryAfter() };
  if (failure instanceof QueueClosed) return refuse('work_stopped', details);
  if (!(failure instanceof QueueFull)) return null;
  return refuse(failure.scope === 'share' ? 'work_of_share_full' : 'work_full', details);
}

/** A path that the framework cannot decode, or that is too long. */
const isPathError = (failure: unknown): boolean =>
  isCode(failure, 'FST_ERR_BAD_URL') || isCode(failure, 'FST_ERR_MAX_PARAM_LENGTH');

/** Whether a failure has that code, as errors of Node and of the server do. */
const isCode = (failure: unknown, code: string): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === code;

/** Answers an unreadable or incomplete HTTP request on its connection, and closes it. */
export function answerUnreadable(failure: Error, socket: Duplex, requestId: string): RefusalName | null {
  if (!socket.writable || isCode(failure, 'ECONNRESET')) {
    socket.destroy();
    return null;
  }
  const refusal = refuse(
    unreadable.find(({ code }) => isCode(failure, code))?.refusal ?? 'request_malformed',
  );
  closeWithRefusal(refusal, socket, requestId);
  return refusal.refusal;
}

/** Sends the last answer of a connection and closes it, whether the client closes it or not. */
export function closeWithRefusal(refusal: Refusal, socket: Duplex, requestId: string): void {
  const body = JSON.stringify(errorBodyOf(refusal, 'detail', requestId));
  socket.end(
    [
      `HTTP/1.1 ${refusal.entry.status} ${builtInHttp.STATUS_CODES[refusal.entry.status]}`,
      `X-Request-Id: ${requestId}`,
      `X-Error-Code: ${codeOf(refusal.refusal)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), closeGraceMs).unref();
}

/** How long a client may take to read the last answer of its connection. */
const closeGraceMs = 1000;

/** Error codes of node:http for requests that it cannot read. */
const unreadable = [
  { code: 'HPE_HEADER_OVERFLOW', refusal: 'headers_too_large' },
  { code: 'ERR_HTTP_REQUEST_TIMEOUT', refusal: 'request_too_slow' },
] as const;

/** The header `X-Error-Fields`: paths, percent-encoded, bounded in number and bytes. */
function errorFields(fields: readonly string[]): string {
  const encoded = [...new Set(fields)]
    .slice(0, maxErrorFields)
    .map(field => field.toWellFormed().replace(/[^\x21-\x7e]|[,%]/gu, sign => encodeURIComponent(sign)));
  while (encoded.join(',').length > maxErrorFieldsBytes) encoded.pop();
  return encoded.join(',');
}
