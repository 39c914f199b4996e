/** What the errors of an upstream mean for a job, decided by one table per provider. */

import { seconds } from '../../domain/clock.ts';
import type { JobErrorCode } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type { ProviderError, SubmitResult } from '../../domain/provider.ts';
import type { AnsweredReply, UpstreamReply } from './upstream.ts';

/** What an upstream's error means for a job. */
export type ErrorClass =
  /** The upstream refuses the input: as invalid, or for its content. */
  | 'input'
  | 'moderation'
  /** The upstream could not fetch a medium of the input. */
  | 'media'
  /** The upstream is rate limiting: nothing was made. */
  | 'pause'
  /** The account needs its operator: key, balance, permission. */
  | 'account'
  /** Nothing was made for certain, and a later call may succeed. */
  | 'down'
  /** A failure before or after the upstream accepted the call: the outcome is unknown. */
  | 'unclear'
  /** The run itself failed. */
  | 'failed';

/** The errors of an upstream: how they are read, and what each code means. */
export interface ErrorTable {
  /** The error in an answer of any status; null where it has none. */
  readonly read: (json: unknown, headers: Readonly<Record<string, string>>) => UpstreamError | null;
  /** By the upstream's code. */
  readonly codes: Readonly<Record<string, ErrorClass>>;
  /** Overrides the usual meaning of a status, where no code of the table applies. */
  readonly statuses?: Readonly<Record<number, ErrorClass>>;
}

/** An error as an upstream wrote it. */
export interface UpstreamError {
  /** Null where the upstream gives only a sentence. */
  readonly code: string | null;
  readonly message: string;
}

/** What a status means where no code of the table applies. */
function classOfStatus(status: number, { statuses = {} }: ErrorTable): ErrorClass {
  const specific = statuses[status];
  if (specific) return specific;
  if ([401, 402, 403].includes(status)) return 'account';
  if ([408, 425, 429].includes(status)) return 'pause';
  return status >= 400 && status < 500 ? 'input' : 'unclear';
}

/** Own members only: the upstream chooses the code, and `constructor` is not one of the table. */
const classOfCode = (code: string | null, { codes }: ErrorTable): ErrorClass | undefined =>
  code !== null && Object.hasOwn(codes, code) ? codes[code] : undefined;

/** A part of a table: one meaning for several codes. */
export const mapCodes = (
  meaning: ErrorClass,
  ...codes: readonly string[]
): Readonly<Record<string, ErrorClass>> => Object.fromEntries(codes.map(code => [code, meaning]));

/**
 * What became of one billable call, which decides about money: accepted, refused or unknown. `accept` reads an answer
 * without an error; the outcome is unknown where it returns null.
 */
export function readSubmission(
  reply: UpstreamReply,
  table: ErrorTable,
  accept: (answer: AnsweredReply) => SubmitResult | null,
): SubmitResult {
  if (reply.kind === 'unsent') return { kind: 'refused', error: errorOf(reply, table) };
  if (reply.kind === 'broken') return { kind: 'unknown', error: errorOf(reply, table) };
  const error = table.read(reply.json, reply.headers);
  const isGood = reply.status >= 200 && reply.status < 300;
  if (isGood && !error) return accept(reply) ?? { kind: 'unknown', error: unreadableError(reply) };
  const isRedirect = reply.status >= 300 && reply.status < 400;
  const isCertain = isRedirect || classOfReply(reply, error, table) !== 'unclear';
  return { kind: isCertain ? 'refused' : 'unknown', error: errorOf(reply, table) };
}

/** The error of a call that did not succeed. */
export function errorOf(reply: UpstreamReply, table: ErrorTable): ProviderError {
  if (reply.kind !== 'answered') {
    // Retried only where nothing was made for certain, or where a second call costs nothing.
    return {
      code: 'provider_unavailable',
      message: reply.reason,
      retry: reply.kind === 'unsent',
      trouble: 'upstream',
    };
  }
  const { status } = reply;
  const error = table.read(reply.json, reply.headers);
  const upstream = {
    code: error?.code ?? String(status),
    message: sanitizeMessage(error?.message || `status ${status}`),
  };
  if (status >= 300 && status < 400) {
    const message = 'the upstream answered with a redirect, which is not followed';
    return { code: 'provider_unavailable', message, retry: false, upstream };
  }
  return { ...toProviderError(classOfReply(reply, error, table), upstream), ...retryAfterOf(reply) };
}

/** Why an accepted job failed there, by the code of its failure. Such a job is not sent again automatically. */
export function failureOf(
  { code, message }: UpstreamError,
  table: ErrorTable,
  otherwise: ErrorClass = 'failed',
): ProviderError {
  const meaning = classOfCode(code, table) ?? otherwise;
  const upstream = { code: code ?? 'failed', message: sanitizeMessage(message || 'the upstream failed') };
  switch (meaning) {
    case 'input':
    case 'moderation':
    case 'media':
      return toProviderError(meaning, upstream);
    default:
      return toProviderError('failed', upstream);
  }
}

/** A failed run is an end; as the answer to a submission it leaves open whether a job exists. */
function classOfReply({ status }: AnsweredReply, error: UpstreamError | null, table: ErrorTable): ErrorClass {
  const meaning = classOfCode(error?.code ?? null, table) ?? classOfStatus(status, table);
  return meaning === 'failed' ? 'unclear' : meaning;
}

/** The error of an answer without an error that cannot be read. The answer is stored for the operator. */
export const unreadableError = (reply: UpstreamReply): ProviderError => ({
  code: 'provider_unavailable',
  message: 'unreadable response from the upstream',
  retry: false,
  trouble: 'upstream',
  // Only JSON was searched for the account's secrets.
  ...(reply.kind === 'answered' &&
    reply.json !== undefined && {
      answer: toJson(reply.json).replaceAll(token, '(a token)').slice(0, maxAnswerLength),
    }),
});

/** Characters of an unreadable answer that are stored for the operator. */
const maxAnswerLength = 2000;
/** A token that was signed for one call is not among the known secrets of the account. */
const token = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** The code and the sentence of an upstream, kept beside the error that its client reads. */
type UpstreamDetail = NonNullable<ProviderError['upstream']>;

/** The error of a job for an error class. */
function toProviderError(meaning: ErrorClass, upstream: UpstreamDetail): ProviderError {
  const { code, message } = upstream;
  switch (meaning) {
    case 'input':
      return permanentError('invalid_input', `the upstream refused the input: ${message}`, upstream);
    case 'moderation':
      return permanentError(
        'content_policy_violation',
        `the upstream's policy refused it: ${message}`,
        upstream,
      );
    case 'media':
      return permanentError(
        'file_download_error',
        `the upstream could not fetch a media file: ${message}`,
        upstream,
      );
    case 'failed':
      return permanentError('runtime_error', message, upstream);
    case 'pause':
      return unavailableError('the upstream is rate limiting (retry later)', 'rate', upstream);
    case 'account':
      return unavailableError(`the upstream rejected the account: ${message}`, 'account', upstream);
    case 'down':
      return unavailableError(`the upstream answered ${code}`, 'upstream', upstream);
    case 'unclear':
      return { ...unavailableError(`the upstream answered ${code}`, 'upstream', upstream), retry: false };
  }
}

/** An error that ends the job. */
const permanentError = (code: JobErrorCode, message: string, upstream: UpstreamDetail): ProviderError => ({
  code,
  message,
  retry: false,
  upstream,
});

/** An error that lets the job wait. */
const unavailableError = (
  message: string,
  trouble: NonNullable<ProviderError['trouble']>,
  upstream: UpstreamDetail,
): ProviderError => ({ code: 'provider_unavailable', message, retry: true, trouble, upstream });

/** Characters of an upstream's sentence: some repeat the whole input in it. */
const maxMessageLength = 500;

/** A message without addresses, which may be internal or signed. */
const sanitizeMessage = (message: string): string =>
  message.replaceAll(/\b[a-z]+:\/\/\S+/gi, '(an address)').slice(0, maxMessageLength);

/** `Retry-After` in seconds, at most a day; a date is ignored. */
export function retryAfterOf(reply: UpstreamReply): { readonly retryAfterMs?: number } {
  const wait = reply.kind === 'answered' ? Number(reply.headers['retry-after'] ?? Number.NaN) : Number.NaN;
  return Number.isFinite(wait) && wait >= 0 ? { retryAfterMs: Math.min(wait, 86_400) * seconds } : {};
}

/** `Retry-After` as the wait before the next poll. */
export function pollAfter(reply: UpstreamReply): { readonly nextPollMs?: number } {
  const { retryAfterMs } = retryAfterOf(reply);
  return retryAfterMs === undefined ? {} : { nextPollMs: retryAfterMs };
}
