import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { BlobsUnavailable } from '../domain/blobs.ts';
import { Refusal, refuse } from '../domain/refusal.ts';
import { ProberBusy } from '../media/prober.ts';
import { SpoolUnavailable } from '../media/receive.ts';
import { StoreUnavailable } from '../store/connection.ts';

/** Seconds after which a client may ask an overloaded or ailing service again. */
const ailingRetrySeconds = 5;
/** Decisions 8: of X-Error-Fields. */
const maxErrorFields = 20;
const maxErrorFieldsBytes = 1024;

/** Whatever was thrown becomes one of the contract's three error bodies; what is ours to know goes to the log. */
export function answerFailure(
  failure: unknown,
  {
    request,
    reply,
    errors,
    log,
  }: { request: FastifyRequest; reply: FastifyReply; errors: 'detail' | 'file'; log: Logger },
): void {
  const refusal = asRefusal(failure, errors);
  const { entry, details } = refusal;
  const fields = { request: request.id, method: request.method, path: pathOf(request), status: entry.status };
  if (entry.status >= 500) log.error({ ...fields, err: details.cause ?? refusal }, refusal.message);
  else
    log.info(
      { ...fields, refusal: refusal.refusal, ...(details.cause !== undefined && { err: details.cause }) },
      refusal.message,
    );

  // What is left of a refused body is read and thrown away, or the connection would hang on it.
  request.raw.resume();
  if (entry.status === 401) reply.header('www-authenticate', 'Bearer');
  if (details.retryAfterSeconds !== undefined) reply.header('retry-after', String(details.retryAfterSeconds));
  if (details.fields) reply.header('x-error-fields', errorFields(details.fields));
  reply
    .code(entry.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(bodyOf(refusal, request.id));
}

/** The path without its query: a query may hold a signature. */
const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0]!.slice(0, 512);

function bodyOf({ entry, message, details }: Refusal, requestId: string) {
  switch (entry.shape) {
    case 'gateway':
      return { error: { code: entry.code, message }, request_id: requestId };
    case 'detail':
      return { detail: message };
    case 'file':
      return { error: { message, type: entry.type, param: details.param ?? entry.param, code: entry.code } };
  }
}

function asRefusal(failure: unknown, errors: 'detail' | 'file'): Refusal {
  if (failure instanceof Refusal) return failure;
  const details = { cause: failure };
  const isAiling = [StoreUnavailable, BlobsUnavailable, SpoolUnavailable, ProberBusy].some(
    kind => failure instanceof kind,
  );
  if (isAiling) {
    return refuse(errors === 'file' ? 'storage_unavailable' : 'unavailable', {
      ...details,
      retryAfterSeconds: ailingRetrySeconds,
    });
  }
  // The framework's own errors: a path it cannot decode, a body that ended early.
  const status = failure instanceof Error && 'statusCode' in failure ? Number(failure.statusCode) : 500;
  if (
    failure instanceof Error &&
    'code' in failure &&
    failure.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' &&
    errors === 'detail'
  ) {
    return refuse('content_type_unsupported', details);
  }
  const wasCut = failure instanceof Error && 'code' in failure && failure.code === 'ECONNRESET';
  if ((status >= 400 && status < 500) || wasCut) {
    return errors === 'file'
      ? refuse('file_request_invalid', { ...details, subject: 'The request is malformed' })
      : refuse('request_malformed', details);
  }
  return refuse(errors === 'file' ? 'file_bug' : 'bug', details);
}

function errorFields(fields: readonly string[]): string {
  const encoded = [...new Set(fields)]
    .slice(0, maxErrorFields)
    .map(field => field.toWellFormed().replace(/[^\x21-\x7e]|[,%]/gu, sign => encodeURIComponent(sign)));
  while (encoded.join(',').length > maxErrorFieldsBytes) encoded.pop();
  return encoded.join(',');
}
