/** Seedance on Volcengine Ark and on BytePlus ModelArk: docs/providers/ark.md, docs/providers/modelark.md. */

import { z } from 'zod';
import type { Model } from '../../catalog/model.ts';
import { days, minutes, seconds } from '../../domain/clock.ts';
import type {
  CancelResult,
  Pinned,
  PollResult,
  Provider,
  ProviderTask,
  ProviderTraits,
  RecoverResult,
  SubmitResult,
} from '../../domain/provider.ts';
import { callbackFlag, callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { defineProvider, type ProviderDefinition, type ProviderDependencies } from '../kit/definition.ts';
import { type ErrorTable, failureOf, mapCodes, pollAfter } from '../kit/error-table.ts';
import { readLookup } from '../kit/lookup.ts';
import { mappingFaults } from '../kit/mapping.ts';
import {
  type EncodedInput,
  encodeMedia,
  inlineBytesPerMedium,
  mapEncoded,
  withDraftOnly,
  withUpstreamIds,
} from '../kit/media-encoding.ts';
import { idOf, providerDefaults, readPoll } from '../kit/poll.ts';
import { readSuccess } from '../kit/read-success.ts';
import { type SetupField, secretField } from '../kit/setup.ts';
import { type MappedSubmission, readAcceptance, submitMapped } from '../kit/submit.ts';
import { runAccountTest } from '../kit/test-account.ts';
import {
  baseUrlWithDefault,
  isSuccess,
  openUpstream,
  query,
  readJson,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { arkMappings, arkModels, modelarkModels } from './models.ts';
import { type ArkTask, arkTask, findTask, productionOf } from './task.ts';

/** Volcengine Ark, in mainland China. */
export const ark = defineArk('ark', 'https://ark.cn-beijing.volces.com/api/v3', arkModels, {
  where: 'console.volcengine.com/ark → API keys',
  example: 'ARK_KEY',
});
/** The same API on BytePlus ModelArk, elsewhere. */
export const modelark = defineArk(
  'modelark',
  'https://ark.ap-southeast.bytepluses.com/api/v3',
  modelarkModels,
  { where: 'console.byteplus.com/ark → API keys', example: 'MODELARK_KEY' },
);

/** Both services have one API; they differ in their address, their models' names and where keys are made. */
function defineArk(
  name: string,
  defaultUrl: string,
  models: Readonly<Record<keyof typeof arkModels, string>>,
  key: Pick<SetupField, 'where' | 'example'>,
): ProviderDefinition {
  return defineProvider({
    name,
    setup: {
      trial: { model: 'alpha-1-5-pro', cost: 'four seconds at 480p, about 40,000 tokens' },
      fields: [secretField(key)],
    },
    settings: secret =>
      z.strictObject({
        api_key: secret,
        base_url: baseUrlWithDefault(defaultUrl),
        /**
         * `lookup`: each task carries a name of ours in `safety_identifier`, by which one whose answer was lost is
         * found in the list. That field is meant for the end user, so it is the operator's choice.
         */
        dedupe: z.enum(['lookup', 'none']).default('none'),
        callbacks: callbacksSetting,
      }),
    models,
    bodyRoutes: { of: 'custom' },
    foreignKinds: () => ['draft', 'asset'],
    faults: (model, input) => mappingFaults(arkMappings, model, input),
    open: ({ api_key: key, base_url: baseUrl, dedupe, callbacks: takesCallbacks }, dependencies) => {
      const upstream = openUpstream({
        baseUrl,
        headers: { authorization: `Bearer ${key}` },
        secrets: [key],
        outbound: dependencies.outbound,
      });
      const provider = openArk({ name, upstream, dedupe, takesCallbacks, ...dependencies });
      return toOpenedProvider(upstream, provider);
    },
  });
}

/** The path of all tasks, and of one below it. */
const tasks = '/contents/generations/tasks';
/** Pictures may stand in the body. */
const submitTimeoutMs = 60 * seconds;
/** A video takes a minute and more. */
const firstPollMs = 10 * seconds;
/** The whole body may have 64 MB there, and base64 needs a third more than the bytes. */
const maxInlineBytesInAll = 45 * 1024 * 1024;
/** Most tasks that a page may have, and its most bytes. */
const pageSize = 500;
/** Of the answer with a page of tasks. */
const maxListBytes = 16 * 1024 * 1024;
/** Allowed difference between the upstream's clock and ours. */
const clockSkewMs = 10 * minutes;

/** The part of an answer to a submission that names the job. */
const createdTask = z.object({ id: z.string().min(1).max(200) });
/** The field by which the list of tasks is filtered. */
const tiered = z.object({ service_tier: z.string() });
/** The body of an error. */
const problem = z.object({ error: z.object({ code: z.string(), message: z.string().default('') }) });

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const error = problem.safeParse(json).data?.error;
    return error ? { code: familyOf(error), message: error.message } : null;
  },
  codes: {
    ...mapCodes('moderation', 'SensitiveContentDetected', 'InputTextSensitiveContentDetected'),
    ...mapCodes('moderation', 'InputImageSensitiveContentDetected', 'InputVideoSensitiveContentDetected'),
    ...mapCodes('moderation', 'InputAudioSensitiveContentDetected', 'OutputTextSensitiveContentDetected'),
    ...mapCodes('moderation', 'OutputImageSensitiveContentDetected', 'OutputVideoSensitiveContentDetected'),
    ...mapCodes('moderation', 'OutputAudioSensitiveContentDetected', 'InputTextRiskDetection'),
    ...mapCodes(
      'moderation',
      'InputImageRiskDetection',
      'OutputTextRiskDetection',
      'OutputImageRiskDetection',
    ),
    ...mapCodes('input', 'InvalidParameter', 'MissingParameter'),
    ...mapCodes('pause', 'RateLimitExceeded', 'QuotaExceeded', 'ServerOverloaded'),
    ...mapCodes('account', 'FreeQuotaExceeded', 'SetLimitExceeded', 'ModelNotOpen', 'UnsupportedModel'),
    ...mapCodes('account', 'InvalidEndpoint', 'InvalidEndpointOrModel', 'AccountOverdueError'),
    ...mapCodes('account', 'ServiceOverdue', 'ServiceNotOpen', 'AuthenticationError', 'AccessDenied'),
    // A content check of theirs failed before anything was made, though the status is that of a bad request.
    ...mapCodes('down', 'ContentSecurityDetectionError'),
    ...mapCodes('failed', 'InternalServiceError'),
  },
  // The model is the operator's choice, not the client's.
  statuses: { 404: 'account' },
};
/** For the final video of a draft: what is not found is the draft, which the upstream keeps for seven days. */
const errorsForFinal: ErrorTable = { ...errors, statuses: { 404: 'input' } };

/** Codes have parts: what went wrong, then where. A queue that is full and a free trial that is used up share one. */
function familyOf({ code, message }: { readonly code: string; readonly message: string }): string {
  const [family = ''] = code.split('.');
  return family === 'QuotaExceeded' && /free/i.test(message) ? 'FreeQuotaExceeded' : family;
}

/** An opened account. */
interface ArkContext extends Pick<ProviderDependencies, 'catalog' | 'linkTo'> {
  readonly name: string;
  readonly upstream: Upstream;
  readonly dedupe: 'lookup' | 'none';
  readonly takesCallbacks: boolean;
}

/** The port of one account. */
function openArk(context: ArkContext): Provider {
  const { name, upstream, dedupe, takesCallbacks } = context;
  const traits: ProviderTraits = {
    dedupe,
    // Its list goes back seven days.
    dedupeWindowMs: dedupe === 'lookup' ? 6 * days : 0,
    submitTimeoutMs,
    billable: true,
    // Only a task that waits can be cancelled: one that runs goes on and is charged.
    charges: { failed: 'nothing', cancelled: 'all' },
    minPollMs: 2 * seconds,
    takesCallbacks,
  };
  return {
    ...providerDefaults,
    name,
    traits: () => traits,
    test: () => runAccountTest(upstream, { path: `${tasks}?page_num=1&page_size=1`, errors }),
    submit: task => submitTask(context, task),
    recover: task => lookUpTask(upstream, task),
    poll: async (_, ref) => withCallbackFlag(ref, readTask(await query(upstream, 'GET', pathOf(ref)))),
    cancel: (_, ref) => cancelTask(upstream, pathOf(ref)),
  };
}

/** The path of one task. */
const pathOf = (ref: unknown): string => `${tasks}/${encodeURIComponent(idOf(ref))}`;

/** The one billable call for a job. */
const submitTask = ({ upstream, catalog, dedupe, linkTo }: ArkContext, task: ProviderTask) =>
  submitMapped(task, {
    upstream,
    catalog,
    mappings: arkMappings,
    bodyOf: body => body,
    encode: (model, task) => encodeTask(model, task, linkTo),
    callOf: ({ body }) => ({
      path: tasks,
      body: {
        model: task.upstreamModel,
        ...body,
        ...(dedupe === 'lookup' && { safety_identifier: task.dedupeKey }),
        ...(task.callbackUrl !== null && { callback_url: task.callbackUrl }),
      },
    }),
    timeoutMs: submitTimeoutMs,
    read: readCreated,
  });

/** The body as the upstream reads it: media as addresses or data URLs, earlier jobs by the upstream's own ids. */
async function encodeTask(
  model: Model,
  task: ProviderTask,
  linkTo: ProviderDependencies['linkTo'],
): Promise<EncodedInput> {
  const encoded = await encodeMedia(model, task, {
    linkTo,
    encoding: ({ video }) => (video ? 'link' : 'link-or-data-url'),
    maxInlineBytes: inlineBytesPerMedium(task, maxInlineBytesInAll),
  });
  return mapEncoded(encoded, input =>
    withDraftOnly(model, withUpstreamIds(model, task, input, upstreamIdOf)),
  );
}

/** The ref of a new task. A final video names its draft, so that "not found" has another meaning there. */
function readCreated(reply: UpstreamReply, submission: MappedSubmission<unknown>): SubmitResult {
  const isFinal = Object.keys(submission.task.pinned).length > 0;
  return readAcceptance(reply, submission, {
    errors: isFinal ? errorsForFinal : errors,
    firstPollMs,
    refIn: json => createdTask.safeParse(json).data,
  });
}

/** Looks for the task that carries the key of an attempt in the newest page of the list. */
async function lookUpTask(upstream: Upstream, task: ProviderTask): Promise<RecoverResult> {
  const filters = new URLSearchParams({
    page_num: '1',
    page_size: String(pageSize),
    // Tasks of the other tier are listed only with this filter.
    'filter.service_tier': tiered.safeParse(task.job.input).data?.service_tier ?? 'default',
  });
  const reply = await query(upstream, 'GET', `${tasks}?${filters}`, { maxAnswerBytes: maxListBytes });
  return readLookup(reply, {
    errors,
    read(json) {
      const found = findTask(json, taskQueryOf(task));
      return typeof found === 'string' ? { id: found, ...callbackFlag(task) } : found;
    },
  });
}

/** Only a queued task can be cancelled; for a task that has ended the same call deletes its record. */
async function cancelTask(upstream: Upstream, path: string): Promise<CancelResult> {
  const state = readJson(await query(upstream, 'GET', path), arkTask)?.status;
  if (state === 'cancelled') return { kind: 'cancelled' };
  if (state !== 'queued') return { kind: state === 'running' ? 'unsupported' : 'requested' };
  return { kind: isSuccess(await query(upstream, 'DELETE', path)) ? 'cancelled' : 'requested' };
}

/** The upstream's id of an earlier job, which a follow-up refers to. */
const upstreamIdOf = ({ ref }: Pinned): string => idOf(ref);

/** What a task of the list must match to be the one of this attempt. */
const taskQueryOf = ({ dedupeKey: name, job }: ProviderTask) => ({
  name,
  notBefore: (job.startedAt ?? job.createdAt) - clockSkewMs,
  pageSize,
});

/** Reads the answer to a poll. */
const readTask = (reply: UpstreamReply): PollResult =>
  readPoll(reply, {
    stateIn: answer => readJson(answer, arkTask),
    resultOf,
  });

/** What each state of the upstream means for the job. */
function resultOf(task: ArkTask, answer: UpstreamReply): PollResult {
  switch (task.status) {
    case 'queued':
    case 'running':
      return { kind: 'running', ...pollAfter(answer) };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'expired':
      return {
        kind: 'failed',
        error: { code: 'expired', message: 'the job expired at the upstream', retry: false },
      };
    case 'failed': {
      const error = { code: task.error?.code ?? '', message: task.error?.message ?? '' };
      const { usage = [] } = productionOf(task).production;
      return { kind: 'failed', error: failureOf({ ...error, code: familyOf(error) || null }, errors), usage };
    }
    case 'succeeded':
      return readSuccess(answer, productionOf(task), errors);
  }
}
