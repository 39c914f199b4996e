/** Reads error answers of the gateway into errors of this client. */

import {
  AuthError,
  type ErrorFacts,
  GatewayError,
  type Issue,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ValidationError,
} from './errors.ts';

/** The answer to a failed call. */
export interface Failed {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** The error of a failed answer: of any of the three error bodies, or of a proxy between that answered without one. */
export function readFailure(failed: Failed): GatewayError {
  const { status, headers, body } = failed;
  const error = readBody(body) ?? {
    kind: 'gateway' as const,
    message: `The answer was ${status} and no error body of the gateway`,
  };
  const facts: ErrorFacts = {
    kind: error.kind,
    status,
    code: error.code ?? headers.get('x-error-code') ?? undefined,
    suggestion: headers.get('x-suggestion') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    body,
    retryable: [429, 502, 503, 504].includes(status),
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
  };
  switch (status) {
    case 401:
      return new AuthError(error.message, facts);
    case 403:
      return new PermissionError(error.message, facts);
    case 404:
      return new NotFoundError(error.message, facts);
    case 429:
      return new RateLimitError(error.message, facts);
    case 400:
    case 413:
    case 415:
    case 422:
      return new ValidationError(error.message, facts, error.issues ?? issuesOf(error.message));
    default:
      return new GatewayError(error.message, facts);
  }
}

/** What an error body says. */
interface ErrorBody {
  readonly kind: 'gateway' | 'detail' | 'file';
  readonly message: string;
  readonly code?: string;
  readonly issues?: readonly Issue[];
}

function readBody(body: unknown): ErrorBody | null {
  const { detail, error } = membersOf(body);
  if (typeof detail === 'string') return { kind: 'detail', message: detail };
  const { message, code, type, param } = membersOf(error);
  if (typeof message !== 'string') return null;
  const named = { message, ...(typeof code === 'string' && { code }) };
  if (typeof type !== 'string') return { kind: 'gateway', ...named };
  return { kind: 'file', ...named, issues: [{ path: typeof param === 'string' ? param : '', message }] };
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Splits faults in one string, `path: reason; path: reason`. A reason may contain a semicolon. */
export function issuesOf(detail: string): readonly Issue[] {
  const parts = detail.split(/; (?=[^\s:;]+: )/);
  return parts.map(part => {
    const match = /^([^\s:;]+): (.*)$/s.exec(part);
    return match ? { path: match[1]!, message: match[2]! } : { path: '', message: part };
  });
}

/** Seconds or a date; undefined for anything else. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
