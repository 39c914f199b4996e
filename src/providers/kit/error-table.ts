import { seconds } from '../../domain/clock.ts';
import type { JobErrorCode } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type { ProviderError, SubmitResult } from '../../domain/provider.ts';
import type { UpstreamReply } from './upstream.ts';

/** What an upstream's error means for a job, in one word. */
export type ErrorClass =
  /** The input is not taken: by anybody, or because of what it shows. */
  | 'input'
  | 'moderation'
  /** A medium of the input could not be had by the upstream. */
  | 'media'
  /** It asks for a pause: nothing was made. */
  | 'pause'
  /** The account needs its operator: key, balance, permission. */
  | 'account'
  /** Certain: nothing was made, and it may be later. */
  | 'down'
  /** Something went wrong there, before or after it took the call: nobody knows. */
  | 'unclear'
  /** The run itself failed. */
  | 'failed';

/** An upstream's errors: how they are read, and what each code means. One table a provider. */
export interface ErrorTable {
  /** The error in an answer of any status; null where it tells of none. */
  readonly read: (json: unknown, headers: Readonly<Record<string, string>>) => UpstreamError | null;
  readonly codes: Readonly<Record<string, ErrorClass>>;
  /** Over what a status means everywhere. */
  readonly statuses?: Readonly<Record<number, ErrorClass>>;
}

export interface UpstreamError {
  /** Null where only a sentence is given. */
  readonly code: string | null;
  readonly message: string;
}

type Answered = UpstreamReply & { readonly kind: 'answered' };

/** What a status means where no code of the table says more. */
function classOfStatus(status: number, { statuses = {} }: ErrorTable): ErrorClass {
  const own = statuses[status];
  if (own) return own;
  if ([401, 402, 403].includes(status)) return 'account';
  if ([408, 425, 429].includes(status)) return 'pause';
  return status >= 400 && status < 500 ? 'input' : 'unclear';
}

/** The upstream writes the code: what every object inherits is no word of the table. */
const classOfCode = (code: string | null, { codes }: ErrorTable): ErrorClass | undefined =>
  code !== null && Object.hasOwn(codes, code) ? codes[code] : undefined;

/** The same meaning for several codes. */
export const mapCodes = (
  meaning: ErrorClass,
  ...codes: readonly string[]
): Readonly<Record<string, ErrorClass>> => Object.fromEntries(codes.map(code => [code, meaning]));

/**
 * The table that decides money: what one billable call came to. `accept` reads an answer that is no error;
 * what it cannot read is unknown.
 */
export function readSubmission(
  reply: UpstreamReply,
  table: ErrorTable,
  accept: (answer: Answered) => SubmitResult | null,
): SubmitResult {
  if (reply.kind === 'unsent') return { kind: 'refused', error: errorOf(reply, table) };
  if (reply.kind === 'broken') return { kind: 'unknown', error: errorOf(reply, table) };
  const said = table.read(reply.json, reply.headers);
  const isGood = reply.status >= 200 && reply.status < 300;
  if (isGood && !said) return accept(reply) ?? { kind: 'unknown', error: unreadableError(reply) };
  const isRedirect = reply.status >= 300 && reply.status < 400;
  const isCertain = isRedirect || classOfReply(reply, said, table) !== 'unclear';
  return { kind: isCertain ? 'refused' : 'unknown', error: errorOf(reply, table) };
}

/** What a call that did not succeed means. */
export function errorOf(reply: UpstreamReply, table: ErrorTable): ProviderError {
  if (reply.kind !== 'answered') {
    // Sent again only where the caller knows that nothing was made, or that twice costs nothing.
    return {
      code: 'provider_unavailable',
      message: reply.reason,
      retry: reply.kind === 'unsent',
      trouble: 'upstream',
    };
  }
  const { status } = reply;
  const said = table.read(reply.json, reply.headers);
  const upstream = {
    code: said?.code ?? String(status),
    message: sanitizeMessage(said?.message || `status ${status}`),
  };
  if (status >= 300 && status < 400) {
    const message = 'the upstream redirects, which is not followed';
    return { code: 'provider_unavailable', message, retry: false, upstream };
  }
  return { ...toProviderError(classOfReply(reply, said, table), upstream), ...retryAfterOf(reply) };
}

/** Why a job that was taken ended there, by the code that it ended with. It is not sent again by itself. */
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

/** A run that failed is an end; told in the place of a handle, it says nothing of whether there is one. */
function classOfReply({ status }: Answered, said: UpstreamError | null, table: ErrorTable): ErrorClass {
  const meaning = classOfCode(said?.code ?? null, table) ?? classOfStatus(status, table);
  return meaning === 'failed' ? 'unclear' : meaning;
}

/** An answer that is no error and tells of nothing that we know. What it says is kept for the operator. */
export const unreadableError = (reply: UpstreamReply): ProviderError => ({
  code: 'provider_unavailable',
  message: 'the answer of the upstream cannot be read',
  retry: false,
  trouble: 'upstream',
  // What is no JSON was not searched for the account's secrets.
  ...(reply.kind === 'answered' &&
    reply.json !== undefined && {
      answer: toJson(reply.json).replaceAll(token, '(a token)').slice(0, maxAnswerLength),
    }),
});

const maxAnswerLength = 2000;
/** A token that was made for one call is not among the secrets that are known beforehand. */
const token = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

type UpstreamDetail = NonNullable<ProviderError['upstream']>;

function toProviderError(meaning: ErrorClass, upstream: UpstreamDetail): ProviderError {
  const { code, message: said } = upstream;
  switch (meaning) {
    case 'input':
      return permanentError('invalid_input', `the upstream refused the input: ${said}`, upstream);
    case 'moderation':
      return permanentError(
        'content_policy_violation',
        `the upstream's policy refused it: ${said}`,
        upstream,
      );
    case 'media':
      return permanentError('file_download_error', `the upstream could not read a medium: ${said}`, upstream);
    case 'failed':
      return permanentError('runtime_error', said, upstream);
    case 'pause':
      return unavailableError('the upstream asks for a pause', 'rate', upstream);
    case 'account':
      return unavailableError(`the upstream refused our account: ${said}`, 'account', upstream);
    case 'down':
      return unavailableError(`the upstream answered ${code}`, 'upstream', upstream);
    case 'unclear':
      return { ...unavailableError(`the upstream answered ${code}`, 'upstream', upstream), retry: false };
  }
}

const permanentError = (code: JobErrorCode, message: string, upstream: UpstreamDetail): ProviderError => ({
  code,
  message,
  retry: false,
  upstream,
});

const unavailableError = (
  message: string,
  trouble: NonNullable<ProviderError['trouble']>,
  upstream: UpstreamDetail,
): ProviderError => ({ code: 'provider_unavailable', message, retry: true, trouble, upstream });

const maxMessageLength = 500;

/** Its words without addresses, which may lead inside or carry a right. */
const sanitizeMessage = (message: string): string =>
  message.replaceAll(/\b[a-z]+:\/\/\S+/gi, '(an address)').slice(0, maxMessageLength);

/** `Retry-After` in seconds; a date is as good as nothing said. */
export function retryAfterOf(reply: UpstreamReply): { readonly retryAfterMs?: number } {
  const asked = reply.kind === 'answered' ? Number(reply.headers['retry-after'] ?? Number.NaN) : Number.NaN;
  return Number.isFinite(asked) && asked >= 0 ? { retryAfterMs: Math.min(asked, 86_400) * seconds } : {};
}

/** The same for the next poll. */
export function pollAfter(reply: UpstreamReply): { readonly nextPollMs?: number } {
  const { retryAfterMs } = retryAfterOf(reply);
  return retryAfterMs === undefined ? {} : { nextPollMs: retryAfterMs };
}
