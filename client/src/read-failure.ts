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

/** What of an answer tells why it is none. */
export interface Failed {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Any of the three error bodies, or none of them where something between answered, as one error. */
export function readFailure(failed: Failed): GatewayError {
  const { status, headers, body } = failed;
  const told = readBody(body) ?? {
    kind: 'gateway' as const,
    message: `The answer was ${status} and no error body of the gateway`,
  };
  const facts: ErrorFacts = {
    kind: told.kind,
    status,
    code: told.code ?? headers.get('x-error-code') ?? undefined,
    suggestion: headers.get('x-suggestion') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    body,
    retryable: [429, 502, 503, 504].includes(status),
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
  };
  switch (status) {
    case 401:
      return new AuthError(told.message, facts);
    case 403:
      return new PermissionError(told.message, facts);
    case 404:
      return new NotFoundError(told.message, facts);
    case 429:
      return new RateLimitError(told.message, facts);
    case 400:
    case 413:
    case 415:
    case 422:
      return new ValidationError(told.message, facts, told.issues ?? issuesOf(told.message));
    default:
      return new GatewayError(told.message, facts);
  }
}

interface Told {
  readonly kind: 'gateway' | 'detail' | 'file';
  readonly message: string;
  readonly code?: string;
  readonly issues?: readonly Issue[];
}

function readBody(body: unknown): Told | null {
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

/** Faults stand in one string: `path: reason; path: reason`. A reason may hold a semicolon. */
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
