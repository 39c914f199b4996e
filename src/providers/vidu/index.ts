/** Vidu's own API: docs/providers/vidu.md. */

import { z } from 'zod';
import { days, seconds } from '../../domain/clock.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  Pinned,
  PollResult,
  ProducedFile,
  Provider,
  ProviderTask,
  ProviderTraits,
} from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import { callbackFlag, callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes } from '../kit/error-table.ts';
import { mappingFaults } from '../kit/mapping.ts';
import { encodeMedia, inlineBytesPerMedium, mapEncoded, withUpstreamIds } from '../kit/media-encoding.ts';
import { idOf, providerDefaults, readPoll } from '../kit/poll.ts';
import { fileAt, lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { secretField } from '../kit/setup.ts';
import { readAcceptance, submitMapped } from '../kit/submit.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  openUpstream,
  query,
  readJson,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { verifyViduSignature } from '../kit/webhook-signature.ts';
import { findByPayload } from './lookup.ts';
import { viduMappings, viduModels } from './models.ts';

export default defineProvider({
  name: 'vidu',
  setup: {
    trial: { model: 'epsilon-q2-turbo-img2video', cost: 'a second at 540p, about 7 credits' },
    fields: [secretField({ where: 'platform.vidu.com → API keys', example: 'VIDU_KEY' })],
  },
  settings: secret =>
    z.strictObject({
      api_key: secret,
      base_url: baseUrlWithDefault('https://api.vidu.com'),
      callbacks: callbacksSetting,
    }),
  models: viduModels,
  bodyRoutes: { of: 'custom', members: ['path'] },
  foreignKinds: () => ['video'],
  faults: (model, input) => mappingFaults(viduMappings, model, input),
  verifySignature: ({ api_key: key }, call) => verifyViduSignature(key, call),
  open: ({ api_key: key, base_url: baseUrl, callbacks }, dependencies) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { authorization: `Token ${key}` },
      secrets: [key],
      outbound: dependencies.outbound,
    });
    return toOpenedProvider(upstream, openVidu(upstream, callbacks, dependencies));
  },
});

/** Timeout of a submission. */
const submitTimeoutMs = 60 * seconds;
/** When to poll first, after a submission. */
const firstPollMs = 5 * seconds;
/** The whole body may have 20 MB there, and base64 needs a third more than the bytes. */
const maxInlineBytesInAll = 14 * 1024 * 1024;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  dedupe: 'lookup',
  // Its list goes back seven days.
  dedupeWindowMs: 6 * days,
  submitTimeoutMs,
  billable: true,
  // Once it is scheduled it runs on and is charged.
  charges: { failed: 'nothing', cancelled: 'all' },
  minPollMs: 3 * seconds,
};

/** The part of an answer to a submission that names the job. */
const accepted = z.object({ task_id: z.string().min(1).max(200) });
/** One result: a video, with its cover and its watermarked copy. */
const creation = z.object({
  id: lenient(z.string()),
  url: resultUrl,
  cover_url: lenient(z.string()),
  watermarked_url: lenient(z.string()),
});
/** A task, as the API answers a poll. */
const task = z.object({
  state: z.enum(['created', 'queueing', 'processing', 'success', 'failed']),
  err_code: lenient(z.string()),
  credits: lenient(z.number().nonnegative()),
  creations: z.unknown().optional(),
});
type Task = z.output<typeof task>;
/** The body of an error. */
const problem = z.object({ reason: z.string().min(1), message: z.string().nullish() });

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const error = problem.safeParse(json).data;
    return error ? { code: error.reason, message: error.message ?? '' } : null;
  },
  codes: {
    ...mapCodes('input', 'BadRequest', 'FieldLacking', 'FieldUnwanted', 'FieldItemCountOutOfRange'),
    ...mapCodes('input', 'FieldInvalid', 'PageSizeOutOfRange', 'ImageFormatInvalid', 'CreationNotFound'),
    ...mapCodes('input', 'ImageCheckBodyJointsFailed', 'ImageCheckFaceFailed', 'ImageObjectsUndetected'),
    ...mapCodes('media', 'ImageDownloadFailure'),
    ...mapCodes('moderation', 'TaskPromptPolicyViolation', 'AuditSubmitIllegal', 'CreationPolicyViolation'),
    ...mapCodes('account', 'CreditInsufficient', 'ModelUnavailable', 'Unauthorized', 'Forbidden', 'NotFound'),
    ...mapCodes('pause', 'QuotaExceeded', 'TooManyRequests', 'SystemThrottling'),
    // Each may mean that the upstream is processing this very call: the list shows it.
    ...mapCodes('unclear', 'OperationInProcess', 'Conflict', 'Canceled'),
  },
};

/** What a submission needs of its account. */
interface ViduContext extends Pick<ProviderDependencies, 'catalog' | 'linkTo'> {
  readonly upstream: Upstream;
}

/** The port of one account. */
function openVidu(
  upstream: Upstream,
  takesCallbacks: boolean,
  dependencies: Pick<ProviderDependencies, 'catalog' | 'linkTo'>,
): Provider {
  const accountTraits = { ...traits, takesCallbacks };
  const get = (path: string) => query(upstream, 'GET', path);

  return {
    ...providerDefaults,
    name: 'vidu',
    traits: () => accountTraits,
    test: () => runAccountTest(upstream, { path: '/ent/v2/credits', errors }),
    submit: task => submitTask({ upstream, ...dependencies }, task),

    async recover(task) {
      const found = await findByPayload({ get, errors }, task);
      if (found.kind !== 'found') return found;
      return { ...found, ref: { id: idOf(found.ref), ...callbackFlag(task) } };
    },

    poll: async (_, ref) => withCallbackFlag(ref, readTask(await get(pathOf(ref, '/creations')))),

    async cancel(_, ref): Promise<CancelResult> {
      const body = toJson({ id: idOf(ref) });
      const reply = await query(upstream, 'POST', pathOf(ref, '/cancel'), { body });
      if (reply.kind !== 'answered') return { kind: 'requested' };
      if (reply.status === 200) return { kind: 'cancelled' };
      // A scheduled task cannot be cancelled: the next polls show whether it was one.
      return { kind: reply.status === 404 ? 'unsupported' : 'requested' };
    },
  };
}

/** The one billable call for a job. */
const submitTask = ({ upstream, catalog, linkTo }: ViduContext, task: ProviderTask) =>
  submitMapped(task, {
    upstream,
    catalog,
    mappings: viduMappings,
    bodyOf: body => ({ path: '/ent/v2/img2video', body }),
    encode: async model => {
      const encoded = await encodeMedia(model, task, {
        linkTo,
        encoding: ({ image }) => (image ? 'link-or-data-url' : 'link'),
        maxInlineBytes: inlineBytesPerMedium(task, maxInlineBytesInAll),
      });
      return mapEncoded(encoded, input => withUpstreamIds(model, task, input, upstreamCreationIdOf));
    },
    callOf: ({ body: { path, body } }) => ({
      path,
      body: {
        model: task.upstreamModel,
        ...body,
        payload: task.dedupeKey,
        ...(task.callbackUrl !== null && { callback_url: task.callbackUrl }),
      },
    }),
    timeoutMs: submitTimeoutMs,
    read: (reply, submission) => readAcceptance(reply, submission, { errors, firstPollMs, refIn }),
  });

/** The ref of an accepted submission; undefined where the answer names no job. */
function refIn(json: unknown) {
  const created = accepted.safeParse(json).data;
  return created && { id: created.task_id };
}

/** Vidu's id of the video of an earlier job; empty where it named none. */
const upstreamCreationIdOf = ({ upstreamId }: Pinned): string => upstreamId ?? '';

const pathOf = (ref: unknown, end: string): string => `/ent/v2/tasks/${encodeURIComponent(idOf(ref))}${end}`;

/** Reads the answer to a poll. */
const readTask = (reply: UpstreamReply): PollResult =>
  readPoll(reply, { stateIn: answer => readJson(answer, task), resultOf });

/** What each state of the upstream means for the job. */
function resultOf({ state, err_code, credits, creations }: Task, answer: UpstreamReply): PollResult {
  const usage: readonly Usage[] = credits ? [{ unit: 'credit', quantity: credits, basis: 'reported' }] : [];
  switch (state) {
    case 'created':
    case 'queueing':
    case 'processing':
      return { kind: 'running' };
    case 'failed': {
      const code = err_code || null;
      if (code === 'UserCancelled') return { kind: 'cancelled' };
      return { kind: 'failed', error: failureOf({ code, message: code ?? '' }, errors), usage };
    }
    case 'success': {
      const { items, isWhole } = readResults(creations, creation);
      const production = { files: items.slice(0, 1).flatMap(filesOf), usage };
      return readSuccess(answer, { production, isWhole }, errors);
    }
  }
}

/** The video with the id by which later jobs refer to it, its watermarked copy and its cover, where there are. */
const filesOf = ({
  id,
  url,
  cover_url,
  watermarked_url,
}: z.output<typeof creation>): readonly ProducedFile[] => [
  { ...fileAt(url), ...(id && { upstreamId: id }) },
  ...(watermarked_url ? [fileAt(watermarked_url, { role: 'watermarked' })] : []),
  ...(cover_url ? [fileAt(cover_url, { role: 'cover' })] : []),
];
