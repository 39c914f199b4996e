/** The JSON body of a refusal: one of the contract's three, or that of the protocol of a mount. */

import type { Refusal, RefusalEntry } from '../domain/refusal.ts';
import { codeOf } from '../domain/refusal-help.ts';
import type { ErrorShape } from './route.ts';

/** The body that a client of that shape reads. */
export function errorBodyOf(refusal: Refusal, errors: ErrorShape, requestId: string): unknown {
  switch (errors) {
    case 'openai':
      return openaiError(refusal);
    case 'fal':
      return falError(refusal);
    case 'replicate':
      return replicateError(refusal);
    case 'detail':
    case 'file':
    case 'login-page':
      return contractError(refusal, requestId);
  }
}

/** Contract 7.1 to 7.3, by the refusal itself. */
function contractError({ entry, message, details }: Refusal, requestId: string): unknown {
  switch (entry.shape) {
    case 'gateway':
      return { error: { code: entry.code, message }, request_id: requestId };
    case 'detail':
      return { detail: message };
    case 'file':
      return { error: { message, type: entry.type, param: details.param ?? entry.param, code: entry.code } };
  }
}

/** The `type` of an error by its status, as that API has it. */
const openaiTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** For every other status by its class. */
const openaiType = ({ status }: RefusalEntry): string =>
  openaiTypes[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');

/** `{"error":{"message","type","param","code"}}`, from which the packages make their classes of errors. */
const openaiError = ({ entry, message, details, refusal }: Refusal) => ({
  error: {
    message,
    type: openaiType(entry),
    param: details.param ?? details.fields?.[0] ?? null,
    code: codeOf(refusal),
  },
});

/** Below these mounts a key may have the scheme of its service, too. */
const keyMissingWords = {
  fal: 'A key is required, as `Authorization: Key …` or `Bearer …`',
  replicate: 'A token is required, as `Authorization: Bearer …` or `Token …`',
} as const;

/** The sentence, in the words of the mount. */
const messageAt = (mount: keyof typeof keyMissingWords, { refusal, message }: Refusal): string =>
  refusal === 'key_missing' ? keyMissingWords[mount] : message;

/** `detail`: a text, or of an input a list with the place of each fault, as the packages parse it. */
function falError(refusal: Refusal) {
  const { entry, details } = refusal;
  const message = messageAt('fal', refusal);
  if (entry.status !== 422 || !details.fields || details.fields.length === 0) return { detail: message };
  return {
    detail: details.fields.map(field => ({
      loc: ['body', ...field.split('.')],
      msg: message,
      type: 'value_error',
    })),
  };
}

/** RFC 7807 without a type, as the packages read it. */
const replicateError = (refusal: Refusal) => ({
  title: codeOf(refusal.refusal),
  detail: messageAt('replicate', refusal),
  status: refusal.entry.status,
});
