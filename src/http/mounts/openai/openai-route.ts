/** What the routes of /openai/v1 share. */

import type { AskedBesideBody } from '../../../admission/draft.ts';
import type { Model } from '../../../catalog/model.ts';
import { type CallbackShape, markCallbackUrl } from '../../../domain/callback-shape.ts';
import type { JobError } from '../../../domain/job.ts';
import type { RefusalName } from '../../../domain/refusal.ts';
import type { HttpContext } from '../../http-context.ts';
import { inputRefusals } from '../../refusals-of-route.ts';
import { refuseWord } from '../kit/generic-input.ts';
import { mountedModel } from '../kit/mounted-model.ts';
import { formBodyRefusals } from '../kit/read-form-body.ts';

/** The documentation of a mount is not that of our own protocol. */
export const openaiDocs = { undocumented: 'the protocol of OpenAI, described in docs/mounts.md' };

/** What every creation here can refuse. */
export const creationRefusals = [
  ...inputRefusals,
  ...formBodyRefusals,
] as const satisfies readonly RefusalName[];

/** What SDKs and programs send although it changes nothing: docs/mounts.md has each. */
export const withoutEffect = {
  user: 'any',
  safety_identifier: 'any',
  stream: [false, 'false'],
  stream_format: ['audio'],
  background: ['auto'],
  moderation: ['auto'],
  quality: ['auto', 'standard'],
} as const;

/** The model that a body names; throws the 404 of an unknown one, and a 422 for one that makes something else. */
export function modelOfBody(context: HttpContext, name: unknown, kind: Model['kind']): Model {
  if (typeof name !== 'string' || name === '') throw refuseWord('model', 'is required');
  const model = mountedModel(context, 'openai', name);
  if (model.kind === kind) return model;
  throw refuseWord('model', `${name} makes ${nouns[model.kind]}, not ${nouns[kind]}`);
}

const nouns: Readonly<Record<Model['kind'], string>> = {
  video: 'videos',
  image: 'pictures',
  speech: 'speech',
};

/** What the protocol says beside the input: its word for a callback, and the key of the creation. */
export function askedBeside(
  callbackUrl: unknown,
  shape: CallbackShape,
  idempotencyKey: string | undefined,
): AskedBesideBody {
  const key = { ...(idempotencyKey !== undefined && { idempotencyKey }) };
  if (callbackUrl === null || callbackUrl === '') return key;
  if (typeof callbackUrl !== 'string') throw refuseWord('callback_url', 'must be a string');
  return { ...key, callbackUrl: markCallbackUrl(callbackUrl, shape), callbackField: 'callback_url' };
}

/** An error that is no refusal: of a job, or of a wait. */
export const openaiError = (type: string, code: string, message: string) => ({
  error: { message, type, param: null, code },
});

/** Failures for which the input is the reason: 400, which no SDK sends again. */
const clientFailures: readonly JobError['code'][] = [
  ...([
    'invalid_input',
    'file_download_error',
    'file_invalid',
    'content_policy_violation',
    'cancelled',
  ] as const),
];

/** How the end of a job without a result is answered where the answer would be the result. */
export function answerOfFailure({ code, message, provider }: JobError) {
  const isClients = clientFailures.includes(code);
  const sentence = provider ? `${message} (${provider.message})` : message;
  return {
    status: isClients ? (400 as const) : (500 as const),
    body: openaiError(isClients ? 'invalid_request_error' : 'server_error', code, sentence),
  };
}
